const SECRET_NAME = /password$|passphrase|secret|token$|privateKey$|apiKey|credential/i;
/** Such a name in a text, also if only a part of a key. */
const SECRET_WORD = /password|passphrase|secret|token|privateKey|apiKey|credential/i;
/** Key of a stored secret with its placeholder, in YAML or JSON. */
const MARKED_KEY = /(?<![\w-])["']?[\w-]+["']?:\s*\{?\s*["']?isSet["']?:\s+true\b/g;

/** True if a key name denotes a secret, whose value is neither shown nor stored. */
export function isSecretName(key: string): boolean {
  return SECRET_NAME.test(key);
}

/** True if a value is the placeholder of a stored secret. */
export function isSecretMarker(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isSet' in value;
}

/**
 * True if a document contains a secret itself, not only the placeholder of one.
 *
 * @param names keys that the document's schema marks as secret
 */
export function holdsSecret(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, part]: [string, unknown]) => {
    const isSecret = isSecretName(key) || names.has(key);
    if (isSecret && (typeof part === 'string' || typeof part === 'number')) return true;
    return holdsSecret(part, names);
  });
}

/**
 * True unless a text certainly contains no secret, without parsing it: no key of one is mentioned, in whatever syntax.
 *
 * @param names keys that the schema of the text marks as secret
 */
export function mayHoldSecret(text: string, names: ReadonlySet<string>): boolean {
  // An escape sequence can write any name.
  if (text.includes('\\')) return true;
  const mentionsSecret = (part: string): boolean =>
    SECRET_WORD.test(part) || [...names].some((name) => part.includes(name));
  // In a large text, placeholders take ten times as long to find as words.
  return mentionsSecret(text) && mentionsSecret(text.replaceAll(MARKED_KEY, ''));
}

/** Lists the keys that a JSON Schema marks as secret. */
export function listSecretNames(schema: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const { properties } = part as { readonly properties?: Readonly<Record<string, unknown>> };
    for (const [key, property] of Object.entries(properties ?? {})) {
      if (typeof property === 'object' && property !== null && 'writeOnly' in property) names.add(key);
    }
    for (const child of Object.values(part)) visit(child);
  };
  visit(schema);
  return names;
}
