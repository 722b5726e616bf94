import type { SliceClock } from '../../../base/slices.ts';
import type { AuditLog } from '../../../security/audit/audit-log.ts';
import type { StoredAuditEvent } from '../../../security/audit/audit-store.ts';
import { okInSlices } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { listAuditEvents, readAuditChain } from '../../../interface/security/audit.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';

interface AuditRouteParts {
  readonly audit: Pick<AuditLog, 'query' | 'readChain'>;
  /** Verifies the checkpoints, PEM. */
  readonly publicKey: string;
  readonly clock: SliceClock;
}

/** Creates the endpoints that show the recorded events, and the chain that they form. */
export function createAuditRoutes({ audit, publicKey, clock }: AuditRouteParts): readonly Route[] {
  return [
    implement(readAuditChain, async ({ query }) => {
      const { breaks, ...page } = await audit.readChain(query);
      if (page.checkpoints === undefined) return okInSlices(page, clock);
      const shown = breaks?.map(({ firstId, timeMs: time, fault }) => ({ firstId, time, fault }));
      return okInSlices({ ...page, ...(shown === undefined ? {} : { breaks: shown }), publicKey }, clock);
    }),
    implement(listAuditEvents, async ({ query: { from: fromMs, to: toMs, ...others } }) => {
      const { events, next } = await audit.query({ ...others, fromMs, toMs });
      return okInSlices({ events: events.map(toShown), next }, clock);
    }),
  ];
}

type ListedEvent = ResultOf<typeof listAuditEvents>['events'][number];

function toShown({ id, timeMs: time, ...others }: StoredAuditEvent): ListedEvent {
  return { id, time, ...others };
}
