import type { ConfigurationStore } from './configuration-store.ts';
import { mapSecrets } from './secrets.ts';

/** Lists the secrets of the active configuration, so that they can be removed from texts; they are for no client. */
export function listSecrets(
  configuration: Pick<ConfigurationStore, 'show' | 'getDocumentOf' | 'describe'>,
): readonly string[] {
  const { id } = configuration.show(() => ({}));
  if (id === 0) return [];
  const secrets: string[] = [];
  mapSecrets(configuration.describe(), configuration.getDocumentOf(id), (secret) => {
    if (typeof secret === 'string') secrets.push(secret);
    return secret;
  });
  return secrets;
}
