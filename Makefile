# Each target is one line; `make help` prints them. The work is in tools/stack (Python, standard library only).
STACK := python3 tools/stack
IN_VENV := .drydock/venv/bin/python -m
MAVEN := JAVA_HOME="$$($(STACK) java-home)" mvn -q -B
AS_A_SERVER := -XX:+UseSerialGC --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED # with both compilers, which short tests do without
.DEFAULT_GOAL := help
.PHONY: help api-snapshot bench-grantor bench-locks bench-orchestrator bench-planner bench-projection bench-staging setup demo field test test-full test-vm soak-crash soak-locks soak-planner soak-remediation up down status console screenshots types exits reference format lint lock clean

help:      ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
setup:     ## install and build what is missing (done by the others where they need it)
	@$(STACK) setup
demo:      ## ten real hosts go from release 1 to release 2 under traffic; the stack stays up
	@$(STACK) demo
test:      ## the gate: lint, unit, components on real servers, the spine end to end
	@$(STACK) test
test-full: ## every suite, also the long ones
	@$(STACK) test --full
field:     ## every case of docs/field-cases.md; the last line is one JSON object
	@$(STACK) field
test-vm:   ## one QEMU machine with firmware, systemd and a kernel of its own is re-imaged by a rollout
	@$(STACK) test --only vm
soak-locks: ## the lock service under faults of RUNS (20) seeds from SEED (1) on; minutes each
	@$(STACK) soak --runs $(or $(RUNS),20) --seed $(or $(SEED),1)
soak-crash: ## every process a batch needs killed in every phase, RUNS (1) times from SEED (1) on; the last line is one JSON object
	@$(STACK) soak-crash --runs $(or $(RUNS),1) --seed $(or $(SEED),1)
soak-remediation: ## rollouts over a lab of HOSTS (20) in whose middle something befalls each host, SEEDS (14) of them from SEED (1) on; minutes each
	@$(STACK) soak-remediation --seeds $(or $(SEEDS),14) --hosts $(or $(HOSTS),20) --seed $(or $(SEED),1)
soak-planner: ## whole rollouts in virtual time, RUNS (10000) of them from SEED (1) on, verified step by step
	@$(STACK) setup && $(MAVEN) -pl impact-analyzer/simulation -am test -Dtest='SimulationTest#keepsEveryPromise' -Dsimulation.runs=$(or $(RUNS),10000) -Dsimulation.seed=$(or $(SEED),1) "-DargLine=$(AS_A_SERVER)" -Dsurefire.failIfNoSpecifiedTests=false
up:        ## start PostgreSQL, etcd, Temporal and Drydock; only what is not running
	@$(STACK) up
down:      ## stop everything of this checkout; its data stay
	@$(STACK) down
status:    ## what runs, and where
	@$(STACK) status
console:   ## the console from its sources at http://127.0.0.1:5173, over the running server
	@cd web-ui && DRYDOCK_SERVER="http://127.0.0.1:$$(cd .. && $(STACK) instance | python3 -c 'import json, sys; print(json.load(sys.stdin)["ports"]["http"])')" npm run --silent dev
screenshots: ## a rollout in a real browser; its pages are kept in .drydock/screenshots
	@$(STACK) setup && $(IN_VENV) pytest -q -m e2e lab/e2e/test_console.py
types:     ## bring the console's types to what the schemas say
	@$(MAVEN) -pl proto test -Dtest=TypeScriptTest -Dtypes.write=true -Dsurefire.failIfNoSpecifiedTests=false
exits:     ## bring docs/exits.md to what states, the explorer and tests say
	@$(MAVEN) -pl orchestrator -am test -Dtest=TracesTest,ExitsTest -Dexits.write=true -Dsurefire.failIfNoSpecifiedTests=false -Dexcluded.test.groups=none
reference: ## bring docs/reference to what schemas, command line and sources say
	@$(MAVEN) -pl server -am test -Dtest=ReferenceTest -Dreference.write=true -Dsurefire.failIfNoSpecifiedTests=false
format:    ## bring all sources into the one style
	@$(STACK) setup && $(IN_VENV) ruff format -q . && $(IN_VENV) ruff check -q --fix . && $(MAVEN) spotless:apply && npm --prefix web-ui run --silent format
lint:      ## style, lint and types only
	@$(STACK) test --only lint,web
api-snapshot: ## record the wire contract after a change; BREAKING=yes also one that breaks callers
	@$(MAVEN) -pl server -am -P api-snapshot -Dapi.breaking=$(BREAKING) process-test-classes; code=$$?; cat server/target/contract.txt; exit $$code
bench-projection: ## 10,000 hosts over HTTP: whole records against fields=name,phase
	@$(STACK) up --only postgres && $(MAVEN) -pl orchestrator -am test -Dtest=ProjectionBench -Dsurefire.failIfNoSpecifiedTests=false -Dexcluded.test.groups=none
bench-grantor: ## a pass of the grantor over fleets of up to 300,000 hosts in PostgreSQL; the last line is one JSON object
	@$(STACK) up --only postgres && $(MAVEN) -pl impact-analyzer/service -am test -Dtest=GrantorBench -Dbench.grantor=true "-DargLine=$(AS_A_SERVER) -Xmx2g" -Dsurefire.failIfNoSpecifiedTests=false -Dexcluded.test.groups=none && cat impact-analyzer/service/target/bench-grantor.json
bench-locks: ## acquire and release by the HTTP API of a server process against puts by etcd's HTTP gateway; the last line is one JSON object
	@$(STACK) setup && $(MAVEN) -pl lock-service/soak -am test -Dtest=LocksBench -Dbench.locks=true "-DargLine=$(AS_A_SERVER)" -Dsurefire.failIfNoSpecifiedTests=false -Dexcluded.test.groups=none && cat lock-service/soak/target/bench-locks.json
bench-planner: ## plans of up to 300,000 hosts; FLEETS=DIR also of published ones; the last line is one JSON object
	@$(STACK) setup && $(MAVEN) -pl impact-analyzer/readers -am test -Dtest=PlannerBench -Dbench.planner=true "-Dbench.fleets=$(abspath $(FLEETS))" "-DargLine=$(AS_A_SERVER) -Xmx2g" -Dsurefire.failIfNoSpecifiedTests=false -Dexcluded.test.groups=none && cat impact-analyzer/readers/target/bench-planner.json
bench-orchestrator: ## host upgrades per second against bare workflows of Temporal; the last line is one JSON object
	@$(STACK) up --only postgres,etcd,temporal && $(MAVEN) -pl server -am test -Dtest=OrchestratorBench -Dbench.orchestrator=true "-DargLine=$(AS_A_SERVER)" -Dsurefire.failIfNoSpecifiedTests=false -Dexcluded.test.groups=none && cat server/target/bench-orchestrator.json
bench-staging: ## how long HOSTS (4) are out of service with and without staging, ROUNDS (1) of four rollouts over each of two links; the last line is one JSON object
	@$(STACK) bench-staging --hosts $(or $(HOSTS),4) --rounds $(or $(ROUNDS),1)
lock:      ## pin the Python packages of requirements.in
	@$(STACK) lock
clean:     ## remove what was built and all data of this checkout (stops it first)
	@$(STACK) clean
