"""What carries a secret along: headers, URLs, cookies, command lines, files of logins."""

from __future__ import annotations

from typing import Final

from memd.redact_rules.parts import BREAK, DOTTED, HEX, LONG, START, filler, hexadecimal, more
from memd.redact_rules.rule import Rule
from memd.redact_rules.values import ASSIGN, NO_PLACEHOLDER, OPAQUE

_AUTHORIZATION: Final = rf"(?i:authorization){ASSIGN}"
_BARE: Final = r"[^\s\"'\\`|;&<>()\uff08\uff09\x1b]"
_ARGUMENT: Final = (  # quoted, or up to white space
    rf"(?:\\{{0,3}}\"{NO_PLACEHOLDER}([^\"\\\n]{{4,{LONG}}})"
    rf"|\\{{0,3}}'{NO_PLACEHOLDER}([^'\n\\]{{4,{LONG}}})"
    rf"|{NO_PLACEHOLDER}(?![-\"'`\\|&])(?={_BARE}{{0,64}}?[0-9!@#%^*+=])({_BARE}{{5,{LONG}}}))"
)
_PAIR: Final = (  # user:password, of which the password goes
    rf"(?:\\{{0,3}}[\"'])?[^\s:\"'\\/<>$]{{1,128}}:(?!//){NO_PLACEHOLDER}"
    rf"(?![\"'\s\\])([^\s\"'`\\\x1b]{{3,1024}})"
)

_PARAMETERS: Final = (
    *(
        "token",
        "access_token",
        "auth_token",
        "id_token",
        "refresh_token",
        "key",
        "api_key",
        "apikey",
    ),
    *("secret", "client_secret", "password", "passwd", "pwd", "sig", "signature"),
)
_PARAMETER: Final = "|".join(
    rf"{name}=(?:(?<=[?&;]{name}=)|(?<=\\u0026{name}=))" for name in _PARAMETERS
)

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "jwt",
        rf"{START}(?:(eyJ(?:[\w-]{{8,4096}}|[\w-]{{0,400}}{BREAK}[\w-]{{1,400}}(?=\.eyJ))"
        rf"\.[\w-]{{4,8192}}(?:\.[\w-]{{1,4096}}){{0,3}}{more(DOTTED)}{{0,32}})"
        rf"|eyJ[\w-]{{0,4096}})",
        ("eyj",),
        "eyJhbGciOiJub25lIn0.eyJleGFtcGxlIjoxfQ.ExampleExample",
        "eyJ begins a JSON object in base64, as in eyJhIjoxfQ",
    ),
    Rule(
        "bearer_header",
        rf"{_AUTHORIZATION}(?i:bearer|token)[ \t]{{1,4}}([\w.~+/-]{{15,8192}}[\w~+/-]={{0,4}})",
        ("authorization",),
        "Authorization: Bearer examplevaluewithoutdigits",
        "Authorization: Bearer <token>",
    ),
    Rule(
        "bearer_header",
        rf"[Bb](?:earer|EARER)[ \t]{{1,4}}{OPAQUE}",
        ("bearer",),
        "a request with bearer example0value",
        "bearer authentication-mechanism of the gateway",
    ),
    Rule(
        "basic_auth",
        rf"{_AUTHORIZATION}(?i:basic)[ \t]{{1,4}}"
        r"(?=[A-Za-z]{0,64}(?:[0-9+/=]|[a-z][A-Z]))([A-Za-z0-9+/]{6,4096}={0,2})",
        ("authorization",),
        "Authorization: Basic ZXhhbXBsZTpleGFtcGxl",
        "Authorization: Basic authentication is off",
    ),
    Rule(  # any other scheme, or none
        "authorization_header",
        rf"{_AUTHORIZATION}(?!(?i:bearer|basic|token|digest|aws4)\b)"
        rf"(?:[A-Za-z-]{{3,24}}[ \t]{{1,4}})?"
        rf"(?:[Tt]oken=)?[\"'\\]{{0,4}}{OPAQUE}",
        ("authorization",),
        "Authorization: ApiKey example0value0example",
        "Authorization: the header of RFC9110",
    ),
    Rule(
        "signed_request",
        rf"(?:(?i:x-amz-signature|x-goog-signature)(?:=|%3D)|AWS4-HMAC-SHA256[^\n]{{1,400}}?Signature=)({HEX}{{40,1024}})",
        ("x-amz-signature", "x-goog-signature", "aws4-hmac-sha256"),
        f"https://b.example/k?X-Amz-Date=20261201&X-Amz-Signature={hexadecimal(64)}",
        "X-Amz-Signature= is the last parameter",
    ),
    Rule(
        "signed_request",
        r"(?i:x-amz-security-token)(?:=|%3D|: ?)((?:[\w+/=.~-]|%[0-9A-Fa-f]{2}){40,4096})",
        ("x-amz-security-token",),
        f"&X-Amz-Security-Token=IQoJb3{filler(200)}&x=1",
        "X-Amz-Security-Token: <session token>",
    ),
    Rule(
        "api_key_header",
        rf"(?:x-[a-z-]{{0,30}}?(?:key|token|secret)|X-[A-Za-z-]{{0,30}}?(?i:key|token|secret)"
        rf"|api-?key|A[Pp][Ii]-?K(?:ey|EY)|private-token|P(?i:rivate-token)|(?:job|JOB"
        rf"|Job)-(?i:token)"
        rf"|deploy-token|D(?i:eploy-token)|Subscription-Key|subscription-key){ASSIGN}{OPAQUE}",
        (
            "x-",
            "api-key",
            "apikey",
            "private-token",
            "job-token",
            "deploy-token",
            "subscription-key",
        ),
        "x-api-key: example0value",
        "x-api-key: required",
    ),
    Rule(
        "cookie",
        rf"(?<![A-Za-z0-9])(?<![Tt]-)(?i:cookie)"
        rf"[\"'\\]{{0,4}}: ?[\"'\\]{{0,4}}(?![\"'\\]){NO_PLACEHOLDER}"
        rf"(?=[^\s=;\"'\\]{{1,128}}=[^\s;\"'\\]{{8}})([^\n\r\"'\\]{{10,8192}})",
        ("cookie",),
        f"Cookie: session={filler(24)}; theme=dark",
        "Cookie: theme=dark, Cookie: none",
    ),
    Rule(
        "cookie",
        rf"(?i:set-cookie)[\"'\\]{{0,4}}: ?[\"'\\]{{0,4}}[^\s=;\"'\\]{{1,128}}={NO_PLACEHOLDER}"
        rf"([^\s;\"'\\]{{12,{LONG}}})",
        ("set-cookie",),
        f"Set-Cookie: sid={filler(24)}; Path=/; HttpOnly",
        "Set-Cookie: theme=dark; Path=/",
    ),
    Rule(
        "cookie",
        r"(?:connect\.sid|sess(?:ion)?_?[Ii]d|SESS(?:ION)?ID|session|auth_token"
        r"|remember_\w{1,60})=(?=[\w%.-]{0,64}?[0-9])([\w%.+/-]{16,4096}={0,2})",
        (
            "session=",
            "sessionid=",
            "session_id=",
            "sessid=",
            "connect.sid=",
            "auth_token=",
            "remember_",
        ),
        f"PHPSESSID={filler(26)}",
        "session=none, session_id=current",
    ),
    Rule(
        "url_password",
        rf"://[^\s/:@\"'<>\\`]{{0,100}}:{NO_PLACEHOLDER}"
        r"([^\s/\"'<>\\`]{1,256})(?=@)",
        ("://",),
        "postgres://example:value@db.example/app",
        "ssh://git@example.org:22/x, https://example.org:8080/@scope, ftp://u:$PASS@example.org",
    ),
    Rule(
        "url_token",
        r"://(?=[\w%.-]{0,64}?[0-9])([\w%.~-]{20,512})(?=(?::[\w-]{0,40})?@)",
        ("://",),
        f"git clone https://{filler(24)}@git.example/x.git",
        "https://first.last@git.example/x, https://example.org/0f1e2d3c4b5a69788796a5b4@2",
    ),
    Rule(
        "url_parameter",
        rf"(?:{_PARAMETER})(?=[\w%.~+/-]{{0,64}}?[0-9])([\w%.~+/-]{{12,{LONG}}}={{0,2}})",
        tuple(f"{name}=" for name in _PARAMETERS),
        "https://api.example/v1?access_token=example0value0",
        "https://api.example/v1?key=name&token=&signature=short",
    ),
    Rule(
        "netrc",
        r"[Mm]achine[ \t]{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,200}\s{1,8}password\s{1,8}"
        rf"{NO_PLACEHOLDER}([^\s\"'`\\\x1b]{{1,256}})",
        ("machine ",),
        "machine git.host login me password example",
        "machine learning, the login and the password",
    ),
    Rule(
        "pgpass",
        r":(?:5432|5433|6432|3306|\*):[^:\s/]{1,64}:[^:\s/]{1,64}:([^\s:\"'\\]{4,128})(?=\s|\Z)",
        (":5432:", ":5433:", ":6432:", ":3306:", ":*:"),
        "db.host:5432:app:me:example\n",
        "127.0.0.1:5432:5432 and a:*:b",
    ),
    Rule(
        "curl_user",
        rf"curl\b[^\n|]{{0,400}}?[ \t](?:-u|--user|--proxy-user|-U)(?:[ \t=]{{1,4}}"
        rf"|(?=[\w\"'])){_PAIR}",
        ("curl",),
        "curl -sS -u me:example https://host",
        "curl -u $USER:$PASS https://api.example, curl --user-agent x:y",
    ),
    Rule(
        "cli_password",
        rf"(?:sshpass[ \t]-p|redis-cli\b[^\n|]{{0,200}}?[ \t]-a"
        rf"|ldap\w{{3,8}}\b[^\n|]{{0,300}}?[ \t]-w"
        rf"|docker[ \t]login\b[^\n|]{{0,200}}?[ \t]-p)[ \t]{{1,4}}{_ARGUMENT}",
        ("sshpass -p", "redis-cli", "ldapsearch -", "ldapadd -", "ldapmodify -", "docker login -"),
        "$ sshpass -p example0 ssh me@host",
        "the sshpass -p option, redis-cli -a $PASS ping",
    ),
    Rule(
        "cli_password",
        rf"(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{{0,300}}?[ \t]-p"
        rf"(?![ \t]){NO_PLACEHOLDER}"
        r"[\"']?([^\s\"'\\;|]{5,128})",
        ("mysql", "mariadb"),
        "mysql -h db -u root -pexample0 app",
        "mysql -u root -p app, mysql -p$PASS",
    ),
    Rule(
        "cli_password",
        rf"pass:(?:(?<=-passin pass:)|(?<=-passout pass:)|(?<=-pass pass:)){NO_PLACEHOLDER}"
        rf"([^\s\"'\\]{{3,256}})",
        ("pass:",),
        "openssl rsa -in k.pem -passin pass:example",
        "-passin pass:$PASS and bypass: no",
    ),
    Rule(
        "cli_secret",
        rf"-(?<![\w\]-]-)-?[a-z-]{{0,32}}?(?:password|passwd|passphrase|token|secret|api-?key"
        rf"|access-key|secret-key|private-key)[ \t=]{_ARGUMENT}",
        ("-token", "-password", "-passwd", "-passphrase", "-secret", "-key"),
        "gh auth --with-token example0value",
        "--token is required, --password-file x1, --max-tokens 4096, --api-key $KEY",
        leads=False,
    ),
    Rule(
        "smb_password",
        rf"(?:smbclient|mount\.cifs)\b[^\n|]{{0,300}}?[^\s%\"']{{1,64}}%{NO_PLACEHOLDER}"
        rf"([^\s\"'`%\\\x1b]{{4,128}})",
        ("smbclient",),
        "smbclient //nas/share -U me%example",
        "smbclient //nas/share -U me",
    ),
    Rule(
        "password_hash",
        r"\$(?:2[abxy]\$[0-9]{2}\$[./A-Za-z0-9]{53}|[156y]\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9$]{1,60}\$[./A-Za-z0-9]{22,90}"
        r"|apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}|argon2i?d?\$v=[0-9]{1,3}\$[\w=,+/$]{30,200})",
        ("$2a$", "$2b$", "$2x$", "$2y$", "$1$", "$5$", "$6$", "$y$", "$apr1$", "$argon2"),
        f"root:$6$examplesalt${filler(86)}:19000:0:99999:7:::",
        "$1$2 in a replacement, $6$ is SHA-512",
    ),
)
