import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { Reply, Rest } from '../../api/rest.ts';
import type { readOutline } from '../../../interface/configuration/configuration.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { CONFIGURATION_ROOT, getPart, pathOf, setPart } from './edit-target.ts';
import type { Document, EditTarget } from './edit-target.ts';

/** How often names and a part are read until both are of one version; then the whole is. */
const MAXIMUM_ATTEMPTS = 3;

/** Active configuration. */
export interface LoadedConfiguration {
  readonly document: Document;
  /** Entity tag of the document. */
  readonly basis: string;
}

/** Loads the active configuration, including default items. */
async function loadConfiguration(rest: Rest, abort?: AbortSignal): Promise<LoadedConfiguration> {
  // All at once: over a slow link, each request in turn is a wait.
  const [{ value, headers }, ...defaults] = await Promise.all([
    rest.ask<Document>('GET', CONFIGURATION_ROOT, abort === undefined ? {} : { signal: abort }),
    ...['tokenIssuingServices', 'tokenVerificationServices'].map(
      async (section) =>
        [section, await rest.get<unknown>(`${CONFIGURATION_ROOT}/${section}`, abort)] as const,
    ),
  ]);
  return { document: { ...Object.fromEntries(defaults), ...value }, basis: basisOf(headers) };
}

/**
 * Loads one part of the active configuration, and all other items by their names: an asset of thousands of channels
 * delays nothing but its own text.
 *
 * @param target the document itself is loaded as a whole; undefined: names alone
 */
export async function loadPart(
  rest: Rest,
  target: EditTarget | undefined,
  abort?: AbortSignal,
): Promise<LoadedConfiguration> {
  if (target?.length === 0) return loadConfiguration(rest, abort);
  for (let attempt = 0; attempt < MAXIMUM_ATTEMPTS; attempt += 1) {
    const [outline, part] = await Promise.all([
      rest.exchange<typeof readOutline>('GET', `${CONFIGURATION_ROOT}/outline`, { abort }),
      target === undefined ? undefined : findPart(rest, target, abort),
    ]);
    const basis = basisOf(outline.headers);
    if (target === undefined) return { document: outline.value, basis };
    const isOneVersion =
      part === undefined ? getPart(outline.value, target) === undefined : basisOf(part.headers) === basis;
    // Names that have changed since are read again.
    if (!isOneVersion) continue;
    return {
      document: part === undefined ? outline.value : setPart(outline.value, target, part.value),
      basis,
    };
  }
  return loadConfiguration(rest, abort);
}

/** Returns undefined for an item that is not there. */
async function findPart(
  rest: Rest,
  target: EditTarget,
  abort?: AbortSignal,
): Promise<Reply<unknown> | undefined> {
  try {
    const options = abort === undefined ? {} : { signal: abort };
    return await rest.ask<unknown>('GET', `${CONFIGURATION_ROOT}/${pathOf(target)}`, options);
  } catch (thrown) {
    if (thrown instanceof RestFailure && thrown.status === 404) return undefined;
    throw thrown;
  }
}

/**
 * Returns the entity tag of the configuration in a response, without the coding of that response. A reverse proxy that compresses
 * makes it weak (`W/`), which `If-Match` never accepts (RFC 9110, 13.1.1).
 */
export function basisOf(headers: Headers): string {
  return (headers.get('etag') ?? '').replace(/^W\//, '').replace(/-\w+"$/, '"');
}

/** Returns one part of the active configuration and the names of all items, as {@link loadPart}; reloaded like the whole. */
export function usePart(target: EditTarget | undefined): Resource<LoadedConfiguration> {
  const key = target === undefined ? 'names' : `part ${pathOf(target)}`;
  return useUpToDate(key, (rest, abort) => loadPart(rest, target, abort));
}

/** Returns the active configuration; reloaded when a change of any author becomes pending or ends. */
export function useConfiguration(): Resource<LoadedConfiguration> {
  return useUpToDate('configuration', loadConfiguration);
}

function useUpToDate(
  key: string,
  load: (rest: Rest, abort: AbortSignal) => Promise<LoadedConfiguration>,
): Resource<LoadedConfiguration> {
  const { rest } = useConsole();
  return useResource(key, (abort) => load(rest, abort), { version: pendingChange.value?.snapshot });
}
