import { z } from '../../base/schema.ts';
import { AUDIT_EVENTS, AUDIT_OUTCOMES } from './audit-event.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';

/** Maximum events of one response. */
const MAXIMUM_PAGE = 1000;
const DEFAULT_PAGE = 100;

// The latest time of a Date (ECMAScript, 21.4.1.1); every id is smaller.
const MAXIMUM_NUMBER = 8_640_000_000_000_000;

const eventsQuery = z.object({
  event: z.enum(AUDIT_EVENTS).optional().describe('Only events of this kind'),
  outcome: z.enum(AUDIT_OUTCOMES).optional().describe('Only events with this outcome'),
  identity: z.string().min(1).max(255).optional().describe('Only events of this identity'),
  from: integerParameter(0, MAXIMUM_NUMBER)
    .optional()
    .describe('First time that counts, in milliseconds since 1970-01-01 UTC'),
  to: integerParameter(0, MAXIMUM_NUMBER)
    .optional()
    .describe('First time that no longer counts, in the same unit'),
  before: integerParameter(1, MAXIMUM_NUMBER)
    .optional()
    .describe('Only events with a smaller id: "next" of the page before'),
  limit: integerParameter(1, MAXIMUM_PAGE)
    .default(DEFAULT_PAGE)
    .describe(`Maximum number of events, 1 to ${MAXIMUM_PAGE}; default: ${DEFAULT_PAGE}`),
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
    hash: hash
      .optional()
      .describe('Links the event to its predecessor; absent: stored by an earlier release'),
  })
  .meta({ id: 'AuditEvent' });

const auditPage = z
  .strictObject({ events: z.array(auditEvent), next: z.int().optional() })
  .meta({ id: 'AuditPage' });

const chainQuery = z.object({
  after: integerParameter(0, MAXIMUM_NUMBER)
    .default(0)
    .describe('Only events with a larger id; default: all'),
  limit: integerParameter(1, MAXIMUM_PAGE)
    .default(MAXIMUM_PAGE)
    .describe(`Maximum number of events, 1 to ${MAXIMUM_PAGE}; default: ${MAXIMUM_PAGE}`),
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
    gaps: z
      .array(chainGap)
      .optional()
      .describe('Removed events; only on the last page, as are the members below'),
    breaks: z
      .array(chainBreak)
      .optional()
      .describe('Breaks found by the gateway; a new chain starts with the event firstId. Absent: none'),
    checkpoints: z.array(chainCheckpoint).optional(),
    publicKey: z.string().optional(),
  })
  .meta({ id: 'AuditChainPage' });

/** Returns the hash chain of events. */
export const readAuditChain = endpoint({
  method: 'GET',
  path: '/services/audit/v1/chain',
  summary: 'Returns the events with their hash chain, oldest first',
  access: 'rest.admin',
  query: chainQuery,
  response: { status: 200, schema: chainPage },
});

/** Lists events. */
export const listAuditEvents = endpoint({
  method: 'GET',
  path: '/services/audit/v1/events',
  summary: 'Lists audit events, newest first',
  access: 'rest.admin',
  query: eventsQuery,
  isCompressible: true,
  response: { status: 200, schema: auditPage },
});

export type AuditEvent = Shape<typeof auditEvent>;
export type AuditPage = Shape<typeof auditPage>;
