import type { IncomingMessage } from 'node:http';

import { AUDIT_EVENTS, AUDIT_OUTCOMES } from '../audit/audit-event.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { type AuditFilter, LARGEST_PAGE, type StoredAuditEvent } from '../audit/audit-store.ts';
import { InvalidRequest } from '../base/errors.ts';
import { check, formatPath, z } from '../base/schema.ts';
import { ok } from './answer.ts';
import { defineRoute } from './route.ts';
import type { Route } from './route.ts';

const PAGE = 100;

// The last moment that a Date can hold (ECMAScript, 21.4.1.1); every id is smaller as well.
const LARGEST_NUMBER = 8_640_000_000_000_000;

function integer(minimum: number, maximum: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected decimal digits')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

/** What can be asked for: every parameter at most once. */
export const auditQuery = z.strictObject({
  event: z.enum(AUDIT_EVENTS).optional(),
  outcome: z.enum(AUDIT_OUTCOMES).optional(),
  identity: z.string().min(1).max(255).optional(),
  from: integer(0, LARGEST_NUMBER).optional(),
  to: integer(0, LARGEST_NUMBER).optional(),
  before: integer(1, LARGEST_NUMBER).optional(),
  limit: integer(1, LARGEST_PAGE).default(PAGE),
});

const auditEvent = z.strictObject({
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
});

/** Makes the endpoint that shows what was recorded. */
export function createAuditRoutes(audit: Pick<AuditLog, 'query'>): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/services/audit/v1/events',
      summary: 'Lists what happened, the newest first',
      access: 'rest.admin',
      response: {
        status: 200,
        schema: z.strictObject({ events: z.array(auditEvent), next: z.int().optional() }),
      },
      handle({ incoming }) {
        const { events, next } = audit.query(parseFilter(incoming.request));
        return ok({ events: events.map(toJson), next });
      },
    }),
  ];
}

function toJson({ id, timeMs: time, ...others }: StoredAuditEvent): z.infer<typeof auditEvent> {
  return { id, time, ...others };
}

function parseFilter({ url = '' }: IncomingMessage): AuditFilter {
  const start = url.indexOf('?');
  const pairs = [...new URLSearchParams(start < 0 ? '' : url.slice(start + 1))];
  refuseDoubled(pairs.map(([name]) => name));
  const { value, faults } = check(auditQuery, Object.fromEntries(pairs));
  if (faults !== undefined) {
    const texts = faults.slice(0, 10).map(({ path, message }) => `${quote(formatPath(path))}: ${message}`);
    throw createRefusal(texts.join('; '));
  }
  const { from: fromMs, to: toMs, ...others } = value;
  return { ...others, fromMs, toMs };
}

function refuseDoubled(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw createRefusal(`${quote(name)} is given more than once`);
    seen.add(name);
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}

function createRefusal(detail: string): InvalidRequest {
  return new InvalidRequest({ code: 'QUERY_INVALID', detail });
}
