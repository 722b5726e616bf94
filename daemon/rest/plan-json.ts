import type { RoundPlan } from '../asset/read-selection.ts';
import { z } from '../base/schema.ts';

const bytes = z.int().min(0);
const durationMs = z.number().min(0).optional();
const cost = { requestBytes: bytes, answerBytes: bytes, wireMs: durationMs, measuredMs: durationMs };

/** The answer of `_plan`. */
export const planInfo = z.strictObject({
  isPlanned: z.boolean().describe('Whether the driver plans its requests ahead; when not, the list is empty'),
  requests: z.array(
    z.strictObject({
      name: z.string(),
      channels: z.array(z.string()),
      ...cost,
      notSent: z.string().optional().describe('Why the next read does not send it; absent when it does'),
    }),
  ),
  total: z.strictObject({ requests: z.int().min(0), ...cost }),
  notRead: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
});

/** Shows the requests of a read and the sums of those that are sent; a time is absent where one of its parts is not known, or there is none. */
export function toPlanInfo({ requests, refused }: RoundPlan): z.infer<typeof planInfo> {
  const listed = requests ?? [];
  const sent = listed.filter(({ notSent }) => notSent === undefined);
  return {
    isPlanned: requests !== undefined,
    requests: listed.map(({ name, channels, requestBytes, answerBytes, wireMs, measuredMs, notSent }) => ({
      name,
      channels: [...channels],
      requestBytes,
      answerBytes,
      wireMs: round(wireMs),
      measuredMs: round(measuredMs),
      notSent,
    })),
    total: {
      requests: sent.length,
      requestBytes: sum(sent.map((request) => request.requestBytes)),
      answerBytes: sum(sent.map((request) => request.answerBytes)),
      wireMs: round(sumOfKnown(sent.map(({ wireMs }) => wireMs))),
      measuredMs: round(sumOfKnown(sent.map(({ measuredMs }) => measuredMs))),
    },
    notRead: refused.map(({ name, failure }) => ({ name, reason: failure.message })),
  };
}

function sum(parts: readonly number[]): number {
  return parts.reduce((total, part) => total + part, 0);
}

function sumOfKnown(parts: readonly (number | undefined)[]): number | undefined {
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 || known.length < parts.length ? undefined : sum(known);
}

/** Cuts a time to microseconds; what lies below is noise. */
function round(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.round(timeMs * 1000) / 1000;
}
