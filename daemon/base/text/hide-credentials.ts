const HIDDEN = '[hidden]';

// A user name with password before the host. Whatever is before the last @ is hidden: a password may hold any character.
const USER_INFORMATION = /([a-z][a-z0-9+.-]*:\/\/)\S*@/gi;
const QUERY_SECRET = /([?&;][^=&;\s]*(?:pass|secret|token|key|sig|credential)[^=&;\s]*=)[^&;#\s"']+/gi;
// RFC 7468; one that was cut off has no end.
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
// RFC 7519, 3.1: header and claims are JSON objects in base64url, and so begin with `eyJ`.
const TOKEN = /eyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)*/g;

/**
 * Returns a text without credentials that are recognizable by their form: user names, passwords and secret
 * parameters in URLs, private keys as PEM, and JSON Web Tokens become `[hidden]`.
 */
export function hideCredentials(text: string): string {
  return text
    .replaceAll(PRIVATE_KEY, HIDDEN)
    .replaceAll(USER_INFORMATION, `$1${HIDDEN}@`)
    .replaceAll(QUERY_SECRET, `$1${HIDDEN}`)
    .replaceAll(TOKEN, HIDDEN);
}
