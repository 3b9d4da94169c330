"""Keys of payment, mail, chat and other services."""

from __future__ import annotations

from typing import Final

from memd.redact_rules.parts import (
    ALNUM,
    DOTTED,
    HEX,
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

_UUID: Final = rf"{HEX}{{8}}(?:-{HEX}{{4}}){{3}}-{HEX}{{12}}"
_EXAMPLE_UUID: Final = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "stripe_key",
        rf"{START}(?:[rs]k_(?:live|test)|whsec)_(?:{ALNUM}{{10,512}}{more()}{{0,8}}|{cut(ALNUM)}"
        rf"|{wrapped(ALNUM, 24)}|{wrapped(ALNUM, 99)})",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"),
        "sk_test_EXAMPLEexample",
        "disk_test_configuration, sk_live_",
    ),
    Rule(
        "square_token",
        rf"{START}(?:sq0[a-z]{{3}}-{WORD}{{22,60}}|EAAA[\w-]{{60}})",
        ("sq0", "eaa"),
        f"sq0csp-{filler(43)}",
        "sq0csp- is the prefix",
    ),
    Rule(
        "paypal_token",
        rf"access_token\$(?:production|sandbox)\$[0-9a-z]{{16}}\${HEX}{{32}}",
        ("access_token$",),
        f"access_token$production${filler(16, 'example0')}${hexadecimal(32)}",
        "access_token$production$ is the prefix",
    ),
    Rule(
        "plaid_token",
        rf"{START}(?:access|public|link)-(?:sandbox|development|production)-{_UUID}",
        ("-sandbox-", "-development-", "-production-"),
        f"access-production-{_EXAMPLE_UUID}",
        "access-production-database, link-sandbox-env",
        leads=False,
    ),
    Rule(
        "razorpay_key",
        rf"{START}rzp_(?:live|test)_{ALNUM}{{14,24}}",
        ("rzp_",),
        f"rzp_live_{filler(14)}",
        "rzp_live_ is the prefix",
    ),
    Rule(
        "flutterwave_key",
        rf"{START}FLWSECK(?:_TEST|_PROD)?-[0-9a-zA-Z]{{12,40}}(?:-X)?",
        ("flwseck",),
        f"FLWSECK_TEST-{hexadecimal(32)}-X",
        "FLWSECK is the prefix",
    ),
    Rule(
        "easypost_key",
        rf"{START}EZ[AT]K{ALNUM}{{54}}",
        ("ezak", "eztk"),
        f"EZAK{filler(54)}",
        "EZAK is the prefix",
    ),
    Rule(
        "shippo_token",
        rf"{START}shippo_(?:live|test)_{HEX}{{40}}",
        ("shippo_",),
        f"shippo_live_{hexadecimal(40)}",
        "shippo_live_ is the prefix",
    ),
    Rule(
        "duffel_token",
        rf"{START}duffel_(?:test|live)_{WORD}{{40,60}}",
        ("duffel_",),
        f"duffel_live_{filler(43)}",
        "duffel_live_ is the prefix",
    ),
    Rule(
        "twilio_key",
        START + sized("SK", 32, 32, HEX),
        ("sk",),
        f"SK{hexadecimal(32)}",
        "SK0 task, SKU 0123456789abcdef",
    ),
    Rule(
        "sendgrid_key",
        rf"{START}SG[.](?:{WORD}{{16,24}}\.{WORD}{{16,64}}{more()}{{0,2}}|{cut(DOTTED)}"
        rf"|{wrapped(DOTTED, 66)})",
        ("sg.",),
        f"SG.{filler(22)}.{filler(43)}",
        "msg.payload.text, SG.",
    ),
    Rule(
        "mailgun_key",
        rf"{START}key-{HEX}{{32}}",
        ("key-",),
        f"key-{hexadecimal(32)}",
        f"key-value, key-{hexadecimal(12)}",
    ),
    Rule(
        "mailchimp_key",
        rf"(?<!\w){HEX}{{32}}-us[1-9][0-9]?",
        tuple(f"-us{digit}" for digit in range(1, 10)),
        f"{hexadecimal(32)}-us12",
        "region-us1, plus-us",
        leads=False,
    ),
    Rule(
        "brevo_key",
        rf"{START}x(?:keysib|smtpsib)-{HEX}{{64}}-{ALNUM}{{16}}",
        ("xkeysib-", "xsmtpsib-"),
        f"xkeysib-{hexadecimal(64)}-{filler(16)}",
        "xkeysib- is the prefix",
    ),
    Rule(
        "resend_key",
        rf"{START}re_(?=\w{{0,30}}[0-9])(?=\w{{0,30}}[A-Z])(?:{ALNUM}{{8}}_{ALNUM}{{24}}"
        rf"|{ALNUM}{{32}})",
        ("re_",),
        f"re_{filler(8)}_{filler(24)}",
        "pre_process, re_compile_the_pattern",
    ),
    Rule(
        "slack_webhook",
        r"hooks\.slack(?:-gov)?\.com\\{0,3}/(?:services|workflows|triggers)\\{0,3}/"
        r"((?:[A-Za-z0-9]|\\{0,3}/){20,120})",
        ("hooks.slack",),
        f"https://hooks.slack.com/services/T0EXAMPLE/B0EXAMPLE/{filler(24)}",
        "https://hooks.slack.com/services/T.../B.../...",
    ),
    Rule(
        "slack_token",
        START + token("(?:xox[a-z](?:[.]xox[a-z])?|xapp-[0-9])-", 10),
        ("xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-"),
        "xoxb-EXAMPLE-EXAMPLE-0",
        "xoxb- tokens",
    ),
    Rule(
        "discord_bot",
        r"[MNO](?<![A-Za-z0-9.][MNO])[\w-]{22,27}\.[\w-]{6}\.[\w-]{25,40}",
        ("discord_", "bot ", "bot_"),
        f"bot MTExample0{filler(14)}.G0abcd.{filler(38)}",
        "bot Main.module.function, MainApplicationConfiguration1.module.x",
        leads=False,
    ),
    Rule(
        "discord_webhook",
        r"discord(?:app)?\.com\\{0,3}/api\\{0,3}/(?:v[0-9]{1,2}\\{0,3}/)?webhooks\\{0,3}/"
        r"[0-9]{15,21}\\{0,3}/([\w-]{40,100})",
        ("discord.com", "discordapp.com"),
        f"https://discord.com/api/webhooks/123456789012345678/{filler(68)}",
        "https://discord.com/api/webhooks/{id}/{token}",
    ),
    Rule(
        "telegram_bot",
        rf"[0-9](?:(?<![A-Za-z0-9][0-9])|(?<=bot[0-9]))[0-9]{{7,9}}:AA{WORD}{{33}}",
        (":aa",),
        f"1234567890:AA{filler(33)}",
        "robot, bot1:AA, 12345678:AABB",
        leads=False,
    ),
    Rule(
        "teams_webhook",
        r"webhook\.office\.com\\{0,3}/webhookb2\\{0,3}/([\w@/\\-]{60,300})",
        ("webhook.office.com",),
        f"https://x.webhook.office.com/webhookb2/{_EXAMPLE_UUID}@{_EXAMPLE_UUID}/IncomingWebhook/{hexadecimal(32)}",
        "webhook.office.com/webhookb2/ is the old form",
    ),
    Rule(
        "zapier_webhook",
        r"hooks\.zapier\.com\\{0,3}/hooks\\{0,3}/catch\\{0,3}/([0-9]{4,12}\\{0,3}/\w{5,40})",
        ("hooks.zapier",),
        "https://hooks.zapier.com/hooks/catch/1234567/b8example/",
        "https://hooks.zapier.com/hooks/catch/<id>/",
    ),
    Rule(
        "facebook_token",
        rf"{START}EAA[A-Z]{ALNUM}{{80,300}}",
        ("eaa",),
        f"EAAG{filler(150)}",
        "SEAA, EAAG is the prefix",
    ),
    Rule(
        "twitter_bearer",
        rf"{START}A{{20,24}}(?:[A-Za-z0-9]|%[0-9A-F]{{2}}){{60,120}}",
        ("aaaaaaaaaaaaaaaaaaaa",),
        f"{'A' * 22}{filler(30)}%2B{filler(50)}",
        "AAAAAAAAAAAAAAAAAAAAAAAA",
    ),
    Rule(
        "mapbox_token",
        token(r"(?<![\w.])[st]k\.eyJ", 40, r"[\w.-]"),
        ("sk.eyj", "tk.eyj"),
        f"sk.eyJ1{filler(60)}.{filler(22)}",
        "sk.eyJ is secret, pk.eyJ is public",
    ),
    Rule(
        "hubspot_token",
        rf"{START}pat-(?:na|eu|ap)[0-9]-{_UUID}",
        ("pat-na", "pat-eu", "pat-ap"),
        f"pat-na1-{_EXAMPLE_UUID}",
        "pat-na1- is the prefix",
    ),
    Rule(
        "salesforce_session",
        rf"{START}00D[A-Za-z0-9]{{12,15}}![\w.]{{60,200}}",
        ("00d",),
        f"00D5e000000Exam!AQ{filler(90)}",
        "00D5e000000Exam is an organisation",
    ),
    Rule(
        "dropbox_token",
        rf"{START}sl[.](?:u\.)?{WORD}{{100,2000}}",
        ("sl.",),
        f"sl.{filler(135)}",
        "ssl.create_default_context, sl.value",
    ),
    Rule(
        "okta_token",
        rf"{START}SSWS[ \t]{{1,4}}({WORD}{{30,60}})",
        ("ssws",),
        f"Authorization: SSWS 00{filler(40)}",
        "SSWS is the scheme",
    ),
    Rule(
        "typeform_token",
        rf"{START}tfp_[\w.=-]{{40,80}}",
        ("tfp_",),
        f"tfp_{filler(59)}",
        "tfp_ is the prefix",
    ),
    Rule(
        "frameio_token",
        rf"{START}fio-u-{WORD}{{60,70}}",
        ("fio-u-",),
        f"fio-u-{filler(64)}",
        "fio-u- is the prefix",
    ),
    Rule(
        "adobe_secret",
        rf"{START}p8e-{WORD}{{32}}",
        ("p8e-",),
        f"p8e-{filler(32)}",
        "p8e- is the prefix",
    ),
)
