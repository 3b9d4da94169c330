"""Keys of the providers of models and of what agents call."""

from __future__ import annotations

from typing import Final

from memd.redact_rules.parts import (
    ALNUM,
    HEX,
    KEY_LIKE,
    START,
    WORD,
    cut,
    filler,
    hexadecimal,
    more,
    sized,
    token,
    wrapped,
)
from memd.redact_rules.rule import Rule

_BODY: Final = r"\w"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "anthropic_key",
        rf"sk-ant-[a-z]{{2,8}}[0-9]{{2}}-{wrapped(WORD, 95)}",
        ("sk-ant-",),
        f"sk-ant-api03-{filler(93)}AA",
        "sk-ant-api03- and sk-ant-oat01- are prefixes",
    ),
    Rule(
        "anthropic_key",
        token("sk-ant-", 16),
        ("sk-ant-",),
        "sk-ant-api03-ExampleExampleExample-AA",
        "keys begin sk-ant-api03-",
    ),
    Rule(
        "openai_key",
        rf"{START}sk-(?:{wrapped(ALNUM, 48)}|(?:\w{{1,15}}-){{0,4}}(?:"
        rf"{KEY_LIKE}\w{{16,1024}}[\w-]{{0,3072}}{more()}{{0,8}}"
        rf"|\w{{0,15}}{more()}{{1,8}}|{KEY_LIKE}{cut(_BODY)}))",
        ("sk-",),
        "sk-proj-Example0ExampleExampleExample",
        "task-0management0service0configuration, sk-hyphenated-words-of-some-length-v2",
    ),
    Rule(
        "huggingface_token",
        f"(?:{START}hf_|{START}api_org_){sized('', 34, 20)}",
        ("hf_", "api_org_"),
        "hf_ExampleExampleExampleExampleEx",
        "hf_hub_download",
    ),
    Rule(
        "groq_key",
        START + sized("gsk_", 52, 24),
        ("gsk_",),
        f"gsk_{filler(52)}",
        "gsk_texture_new",
    ),
    Rule(
        "xai_key",
        START + sized("xai-", 80, 40),
        ("xai-",),
        f"xai-{filler(80)}",
        "xai-grok-models",
    ),
    Rule(
        "perplexity_key",
        START + sized("pplx-", 48, 32),
        ("pplx-",),
        f"pplx-{filler(48)}",
        "pplx-api",
    ),
    Rule(
        "replicate_token",
        START + sized("r8_", 37, 24),
        ("r8_",),
        f"r8_{filler(37)}",
        "ur8_t and r8_",
    ),
    Rule(
        "together_key",
        rf"{START}tgp_v1_{WORD}{{40,64}}",
        ("tgp_v1_",),
        f"tgp_v1_{filler(43)}",
        "tgp_v1_ is the prefix",
    ),
    Rule(
        "fireworks_key",
        rf"{START}fw_{ALNUM}{{20,32}}",
        ("fw_",),
        f"fw_{filler(24)}",
        "fw_update, fw_version_of_the_board",
    ),
    Rule(
        "nvidia_key",
        START + sized("nvapi-", 64, 32, WORD),
        ("nvapi-",),
        f"nvapi-{filler(64)}",
        "nvapi-headers",
    ),
    Rule(
        "langsmith_key",
        rf"{START}lsv2_(?:pt|sk)_{HEX}{{32}}_{HEX}{{10}}",
        ("lsv2_",),
        f"lsv2_pt_{hexadecimal(32)}_{hexadecimal(10)}",
        "lsv2_pt_ is the prefix",
    ),
    Rule(
        "langfuse_key",
        rf"{START}sk-lf-{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}",
        ("sk-lf-",),
        "sk-lf-0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
        "sk-lf- is the prefix",
    ),
    Rule(
        "pinecone_key",
        rf"{START}pcsk_\w{{40,100}}",
        ("pcsk_",),
        f"pcsk_5abcd_{filler(63)}",
        "pcsk_ is the prefix",
    ),
    Rule(
        "voyage_key",
        rf"{START}pa-(?=[\w-]{{0,42}}[0-9])(?=[\w-]{{0,42}}[A-Z]){WORD}{{43}}",
        ("pa-",),
        f"pa-{filler(43)}",
        "wpa-supplicant, pa-dlna",
    ),
    Rule(
        "tavily_key",
        rf"{START}tvly-(?:dev-|prod-)?{ALNUM}{{28,64}}",
        ("tvly-",),
        f"tvly-dev-{filler(32)}",
        "tvly-dev- is the prefix",
    ),
    Rule(
        "firecrawl_key",
        rf"{START}fc-{HEX}{{32}}",
        ("fc-",),
        f"fc-{hexadecimal(32)}",
        "fc-list, rfc-editor",
    ),
    Rule(
        "sandbox_key",
        rf"{START}e2b_{HEX}{{40}}",
        ("e2b_",),
        f"e2b_{hexadecimal(40)}",
        "e2b_ is the prefix",
    ),
    Rule(
        "elevenlabs_key",
        rf"{START}sk_{HEX}{{48}}",
        ("sk_",),
        f"sk_{hexadecimal(48)}",
        "task_id, sk_",
    ),
    Rule(
        "cerebras_key",
        rf"{START}csk-{ALNUM}{{40,64}}",
        ("csk-",),
        f"csk-{filler(48)}",
        "csk-prefixed",
    ),
    Rule(
        "jina_key",
        rf"{START}jina_{HEX}{{32}}{WORD}{{20,40}}",
        ("jina_",),
        f"jina_{hexadecimal(32)}{filler(28)}",
        "jina_embeddings_v3",
    ),
    Rule(
        "wandb_key",
        rf"{START}wandb_v1_\w{{60,100}}",
        ("wandb_v1_",),
        f"wandb_v1_{filler(77)}",
        "wandb_v1_ is the prefix",
    ),
    Rule(
        "wandb_key",
        rf"wandb[ .]login\s?[(]?(?:[ \t]--relogin|key=)?[\s\"']{{0,3}}({HEX}{{40}})",
        ("wandb",),
        f"wandb login {hexadecimal(40)}",
        "wandb login --relogin",
    ),
    Rule(
        "gemini_key",
        rf"{START}AQ\.Ab8[\w-]{{40,100}}",
        ("aq.ab8",),
        f"AQ.Ab8RN6{filler(44)}",
        "AQ.Ab8 begins an ephemeral key",
    ),
)
