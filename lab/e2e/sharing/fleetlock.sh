#!/bin/bash
# What an updater on each host does by the FleetLock protocol, again and again until the file STOP is there: ask until it
# may, restart the host, say that it is back. At least once per host. Writes into the host's journal when it comes and goes.
# usage: URL=… TOKEN=… STOP=… JOURNAL=… fleetlock.sh HOST=ADDRESS… -- SSH…
set -u
hosts=()
while [ "$1" != -- ]; do hosts+=("$1"); shift; done
shift
ssh=("$@")

says() { # PATH HOST: the status of the answer
  curl -s -m 20 -o /dev/null -w '%{http_code}' -H 'fleet-lock-protocol: true' -H 'Content-Type: application/json' \
    --oauth2-bearer "$TOKEN" -d "{\"client_params\":{\"id\":\"$2\",\"group\":\"default\"}}" "$URL/v1/$1"
}

back() { # HOST: it is in steady state, also if it did not go
  until [ "$(says steady-state "$1")" = 200 ]; do sleep 0.2; done
}

restart() { # ADDRESS
  local before after
  before=$("${ssh[@]}" "$1" "echo enter fleetlock \$(date +%s.%N) >>$JOURNAL; cat /proc/sys/kernel/random/boot_id")
  "${ssh[@]}" "$1" 'sync; shutdown -r now'
  until after=$("${ssh[@]}" "$1" cat /proc/sys/kernel/random/boot_id) && [ "$after" != "$before" ]; do sleep 0.5; done
  "${ssh[@]}" "$1" "echo leave fleetlock \$(date +%s.%N) >>$JOURNAL"
}

updater() { # HOST ADDRESS
  local rounds=0
  while :; do
    until [ "$(says pre-reboot "$1")" = 200 ]; do
      if [ "$rounds" -gt 0 ] && [ -e "$STOP" ]; then back "$1"; return; fi
      sleep 0.2
    done
    restart "$2"
    back "$1"
    rounds=$((rounds + 1))
    if [ -e "$STOP" ]; then return; fi
  done
}

for host in "${hosts[@]}"; do updater "${host%%=*}" "${host#*=}" & done
wait
