import { useEffect } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { Rest } from '../../api/rest.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { CONFIGURATION_ROOT } from './edit-target.ts';
import type { Document } from './edit-target.ts';

/** Active configuration. */
export interface LoadedConfiguration {
  readonly document: Document;
  /** Entity tag of the document. */
  readonly basis: string;
}

/** Loads the active configuration, including default items. */
export async function loadConfiguration(rest: Rest, abort?: AbortSignal): Promise<LoadedConfiguration> {
  // All at once: over a slow link, each request in turn is a wait.
  const [{ value, headers }, ...defaults] = await Promise.all([
    rest.ask<Document>('GET', CONFIGURATION_ROOT, abort === undefined ? {} : { signal: abort }),
    ...['tokenIssuingServices', 'tokenVerificationServices'].map(
      async (section) =>
        [section, await rest.get<unknown>(`${CONFIGURATION_ROOT}/${section}`, abort)] as const,
    ),
  ]);
  return { document: { ...Object.fromEntries(defaults), ...value }, basis: headers.get('etag') ?? '' };
}

/** Returns the active configuration; reloaded when a change of any author becomes pending or ends. */
export function useConfiguration(): Resource<LoadedConfiguration> {
  const { rest } = useConsole();
  const resource = useResource('configuration', (abort) => loadConfiguration(rest, abort));
  const { reload } = resource;
  const snapshot = pendingChange.value?.snapshot;
  useEffect(reload, [reload, snapshot]);
  return resource;
}
