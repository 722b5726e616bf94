const REDACTED = '[redacted]';
// A shorter one is part of too many words and numbers.
const MINIMUM_LENGTH = 6;

/** Forms in which credentials occur in texts of programs and messages of others. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----[^]*?-----END \1PRIVATE KEY-----/g, REDACTED],
  // User information of a URL (RFC 3986, 3.2.1).
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'\\]+@/gi, `$1${REDACTED}@`],
  [
    /([?&](?:access_token|api_?key|auth|credential|key|pass(?:word)?|secret|sig(?:nature)?|token|x-amz-signature)=)[^&\s"'\\]+/gi,
    `$1${REDACTED}`,
  ],
  // JSON Web Tokens (RFC 7519, 3).
  [/\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g, REDACTED],
  [/\b(Bearer|Basic) +[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\b(JSESSIONID=)[^\s;"'\\]+/g, `$1${REDACTED}`],
];

/**
 * Returns a text without secrets: those that are known, as they are, in JSON and in URLs, and whatever has the form of a credential.
 *
 * @param known secrets; those of less than six characters are not searched
 */
export function redactSecrets(text: string, known: Iterable<string>): string {
  return createRedaction(known)(text);
}

/** Returns a function that does what {@link redactSecrets} does with many texts. */
export function createRedaction(known: Iterable<string>): (text: string) => string {
  const forms = [...known].flatMap((secret) =>
    secret.length < MINIMUM_LENGTH ? [] : [secret, JSON.stringify(secret).slice(1, -1), encodeText(secret)],
  );
  // Of two secrets, one can be a part of the other.
  const ordered = [...new Set(forms)].toSorted((left, right) => right.length - left.length);
  return (text) => {
    const withoutKnown = ordered.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    return PATTERNS.reduce(
      (rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement),
      withoutKnown,
    );
  };
}

/** Returns the form of a text in a URL; one with half a character has none, and stays. */
function encodeText(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text;
}
