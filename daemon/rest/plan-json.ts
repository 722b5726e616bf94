import type { RoundPlan } from '../asset/read-selection.ts';
import { z } from '../base/schema.ts';
import type { PlannedRequest } from '../channel/driver.ts';

const bytes = z.int().min(0);
const durationMs = z.number().min(0).optional();
const cost = { requestBytes: bytes, answerBytes: bytes, wireMs: durationMs, measuredMs: durationMs };

/** The answer of `_plan`. */
export const planInfo = z.strictObject({
  isPlanned: z.boolean().describe('Whether the driver plans its requests ahead; when not, the list is empty'),
  requests: z.array(z.strictObject({ name: z.string(), channels: z.array(z.string()), ...cost })),
  total: z.strictObject({ requests: z.int().min(0), ...cost }),
  notRead: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
});

/** Shows the requests of a read and their sums; a sum is absent where one of its parts is not known. */
export function toPlanInfo({ requests, refused }: RoundPlan): z.infer<typeof planInfo> {
  const listed = requests ?? [];
  return {
    isPlanned: requests !== undefined,
    requests: listed.map(({ name, channels, requestBytes, answerBytes, wireMs, measuredMs }) => ({
      name,
      channels: [...channels],
      requestBytes,
      answerBytes,
      wireMs: round(wireMs),
      measuredMs: round(measuredMs),
    })),
    total: {
      requests: listed.length,
      requestBytes: sum(listed, (request) => request.requestBytes) ?? 0,
      answerBytes: sum(listed, (request) => request.answerBytes) ?? 0,
      wireMs: round(sum(listed, ({ wireMs }) => wireMs)),
      measuredMs: round(sum(listed, ({ measuredMs }) => measuredMs)),
    },
    notRead: refused.map(({ name, failure }) => ({ name, reason: failure.message })),
  };
}

function sum(
  requests: readonly PlannedRequest[],
  part: (request: PlannedRequest) => number | undefined,
): number | undefined {
  let total = 0;
  for (const request of requests) {
    const value = part(request);
    if (value === undefined) return undefined;
    total += value;
  }
  return total;
}

/** Cuts a time to microseconds; what lies below is noise. */
function round(timeMs: number | undefined): number | undefined {
  return timeMs === undefined ? undefined : Math.round(timeMs * 1000) / 1000;
}
