import type { IncomingMessage } from 'node:http';

import { AUDIT_EVENTS, AUDIT_OUTCOMES } from '../audit/audit-event.ts';
import type { RecordedBreak } from '../audit/audit-chain.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { LARGEST_PAGE } from '../audit/audit-store.ts';
import type { AuditFilter, StoredAuditEvent } from '../audit/audit-store.ts';
import { z } from '../base/schema.ts';
import { ok } from '../http/answer.ts';
import { integerParameter, readQuery } from '../http/query.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const PAGE = 100;

// The last moment that a Date can hold (ECMAScript, 21.4.1.1); every id is smaller as well.
const LARGEST_NUMBER = 8_640_000_000_000_000;

/** The parameters of the query, each at most once. */
export const auditQuery = z.object({
  event: z.enum(AUDIT_EVENTS).optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  identity: z.string().min(1).max(255).optional(),
  from: integerParameter(0, LARGEST_NUMBER).optional(),
  to: integerParameter(0, LARGEST_NUMBER).optional(),
  before: integerParameter(1, LARGEST_NUMBER).optional(),
  limit: integerParameter(1, LARGEST_PAGE).default(PAGE),
});

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const auditEvent = z
  .strictObject({
    id: z.int(),
    time: z.int(),
    event: z.string(),
    outcome: z.enum(AUDIT_OUTCOMES),
    identity: z.string().optional(),
    method: z.string().optional(),
    address: z.string().optional(),
    requestId: z.string().optional(),
    target: z.string().optional(),
    detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    hash: hash.optional().describe('Links the event to the one before; absent: stored by an earlier release'),
  })
  .meta({ id: 'AuditEvent' });

const auditPage = z
  .strictObject({ events: z.array(auditEvent), next: z.int().optional() })
  .meta({ id: 'AuditPage' });

const chainQuery = z.object({
  after: integerParameter(0, LARGEST_NUMBER).default(0),
  limit: integerParameter(1, LARGEST_PAGE).default(LARGEST_PAGE),
});

const chainEvent = z
  .strictObject({ id: z.int(), text: z.string(), hash: hash.optional() })
  .meta({ id: 'ChainedAuditEvent' });
const chainGap = z
  .strictObject({ firstId: z.int(), lastId: z.int(), before: hash, after: hash })
  .meta({ id: 'AuditChainGap' });
const chainBreak = z
  .strictObject({ firstId: z.int(), time: z.int(), fault: z.string() })
  .meta({ id: 'AuditChainBreak' });
const chainCheckpoint = z
  .strictObject({ text: z.string(), signature: z.string() })
  .meta({ id: 'AuditCheckpoint' });
const chainPage = z
  .strictObject({
    events: z.array(chainEvent),
    gaps: z.array(chainGap).optional().describe('Removed events; on the last page, like the members below'),
    breaks: z
      .array(chainBreak)
      .optional()
      .describe('Breaks that the gateway found: the chain begins anew with the event firstId; absent: none'),
    checkpoints: z.array(chainCheckpoint).optional(),
    publicKey: z.string().optional(),
  })
  .meta({ id: 'AuditChainPage' });

interface AuditRouteParts {
  readonly audit: Pick<AuditLog, 'query' | 'readChain'>;
  /** Verifies the checkpoints, PEM. */
  readonly publicKey: string;
}

/** Creates the endpoints that show the recorded events, and the chain that they form. */
export function createAuditRoutes({ audit, publicKey }: AuditRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/audit/v1/chain',
      summary: 'Gives the events as a chain of hashes, the oldest first',
      access: 'rest.admin',
      query: chainQuery,
      response: { status: 200, schema: chainPage },
      handle(context) {
        const { breaks, ...page } = audit.readChain(readQuery(context.request, chainQuery));
        if (page.checkpoints === undefined) return ok(page);
        return ok(
          breaks === undefined ? { ...page, publicKey } : { ...page, breaks: breaks.map(toShown), publicKey },
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/services/audit/v1/events',
      summary: 'Lists what happened, the newest first',
      access: 'rest.admin',
      query: auditQuery,
      response: {
        status: 200,
        schema: auditPage,
      },
      handle(context) {
        const { events, next } = audit.query(parseFilter(context.request));
        return ok({ events: events.map(toJson), next });
      },
    }),
  ];
}

function toShown({ firstId, timeMs: time, fault }: RecordedBreak): z.infer<typeof chainBreak> {
  return { firstId, time, fault };
}

function toJson({ id, timeMs: time, ...others }: StoredAuditEvent): z.infer<typeof auditEvent> {
  return { id, time, ...others };
}

function parseFilter(request: IncomingMessage): AuditFilter {
  const { from: fromMs, to: toMs, ...others } = readQuery(request, auditQuery);
  return { ...others, fromMs, toMs };
}
