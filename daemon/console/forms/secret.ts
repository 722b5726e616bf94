const SECRET_NAME = /password$|passphrase|secret|token$|privateKey$|apiKey|credential/i;

/** Returns whether a key has the name of a secret: its value is neither shown nor stored. */
export function isSecretName(key: string): boolean {
  return SECRET_NAME.test(key);
}

/** Returns whether a value stands for a secret that the gateway has and does not show. */
export function isSecretMarker(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isSet' in value;
}

/**
 * Returns whether a document holds a secret itself, not only the sign that one is set.
 *
 * @param names keys that are secret by the schema of the document
 */
export function holdsSecret(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, part]: [string, unknown]) => {
    const isSecret = isSecretName(key) || names.has(key);
    if (isSecret && (typeof part === 'string' || typeof part === 'number')) return true;
    return holdsSecret(part, names);
  });
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
