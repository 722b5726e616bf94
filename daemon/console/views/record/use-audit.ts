import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { AuditEvent, AuditPage, listAuditEvents } from '../../../interface/security/audit.ts';
import { useResource } from '../../parts/use-resource.ts';
import { isUtc } from '../../text/format.ts';

/** Loaded audit events, and functions to load more. */
interface LoadedAudit {
  /** Undefined until loaded. */
  readonly events: readonly AuditEvent[] | undefined;
  readonly error: unknown;
  readonly hasOlder: boolean;
  readonly isLoadingOlder: boolean;
  readonly loadOlder: () => void;
  readonly reload: () => void;
}

interface Older {
  readonly key: string;
  readonly events: readonly AuditEvent[];
  readonly next: number | undefined;
}

/** Loads audit events page by page, newest first. */
export function useAudit(query: Readonly<Record<string, string>>): LoadedAudit {
  const { rest } = useConsole();
  const [older, setOlder] = useState<Older | undefined>(undefined);
  const [olderError, setOlderError] = useState<unknown>(undefined);
  const [isLoadingOlder, setLoadingOlder] = useState(false);
  const search = new URLSearchParams(query).toString();
  const load = (extra: string, abort?: AbortSignal): Promise<AuditPage> =>
    rest.call<typeof listAuditEvents>('GET', `/services/audit/v1/events?${search}${extra}`, { abort });
  const first = useResource(search, (abort) => load('', abort));
  const following = older?.key === search ? older : undefined;
  const next = following === undefined ? first.value?.next : following.next;

  const loadOlder = async (): Promise<void> => {
    if (next === undefined || isLoadingOlder) return;
    setLoadingOlder(true);
    setOlderError(undefined);
    try {
      const page = await load(`&before=${next}`);
      setOlder({ key: search, events: [...(following?.events ?? []), ...page.events], next: page.next });
    } catch (error) {
      setOlderError(error);
    } finally {
      setLoadingOlder(false);
    }
  };

  return {
    events: first.value === undefined ? undefined : [...first.value.events, ...(following?.events ?? [])],
    error: first.error ?? olderError,
    hasOlder: next !== undefined,
    isLoadingOlder,
    loadOlder: () => void loadOlder(),
    reload: () => {
      setOlder(undefined);
      first.reload();
    },
  };
}

/** Link parameters filtered by the gateway. */
const PASSED = ['event', 'identity'] as const;

/**
 * Returns the gateway query of a link; times are in the displayed time zone.
 *
 * Empty values and invalid times are omitted. The gateway counts a login that lacks the code of the second factor as failed.
 */
export function readAuditQuery(link: URLSearchParams): Readonly<Record<string, string>> {
  const query: Record<string, string> = { limit: '100' };
  for (const name of PASSED) {
    const value = link.get(name) ?? '';
    if (value !== '') query[name] = value;
  }
  const outcome = link.get('outcome') ?? '';
  if (outcome === 'CODE_REQUESTED') query['event'] ??= 'LOGIN';
  if (outcome !== '') query['outcome'] = outcome === 'CODE_REQUESTED' ? 'FAILURE' : outcome;
  for (const name of ['from', 'to'] as const) {
    const ms = Date.parse(`${link.get(name) ?? ''}${isUtc.value ? 'Z' : ''}`);
    if (Number.isFinite(ms) && ms >= 0) query[name] = String(ms);
  }
  return query;
}
