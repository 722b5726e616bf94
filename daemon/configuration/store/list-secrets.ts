import { runInSlices } from '../../base/slices.ts';
import type { SliceClock } from '../../base/slices.ts';
import type { ConfigurationStore } from './configuration-store.ts';
import { mapSecretsInSlices } from './secrets.ts';

/** Lists the secrets of the active configuration, so that they can be removed from texts; they are for no client. */
export async function listSecrets(
  configuration: Pick<ConfigurationStore, 'show' | 'getDocumentOf' | 'describe'>,
  clock: SliceClock,
): Promise<readonly string[]> {
  const { id } = await configuration.show(() => ({}));
  if (id === 0) return [];
  const secrets: string[] = [];
  const document = await configuration.getDocumentOf(id);
  const search = mapSecretsInSlices(configuration.describe(), document, (secret) => {
    if (typeof secret === 'string') secrets.push(secret);
    return secret;
  });
  await runInSlices(search, clock);
  return secrets;
}
