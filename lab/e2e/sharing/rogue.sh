#!/bin/bash
# The control: is on each host again and again, and asks nobody. A visit that a restart of the host cuts short is not told.
# usage: JOURNAL=… rogue.sh ADDRESS… -- SSH…
set -u
addresses=()
while [ "$1" != -- ]; do addresses+=("$1"); shift; done
shift
# It says something after each visit, and so ends when nobody listens any more.
visits="while :; do began=\$(date +%s.%N); sleep 0.8
  printf 'enter rogue %s\nleave rogue %s\n' \$began \$(date +%s.%N) >>$JOURNAL; echo left; done"
for address in "${addresses[@]}"; do
  while :; do "$@" "$address" "$visits"; sleep 0.2; done &
done
wait
