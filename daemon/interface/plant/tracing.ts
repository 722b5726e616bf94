import { z } from '../../base/schema.ts';
import { FRAME_DIRECTIONS } from '../../channel/trace/tracing-driver.ts';
import { faultReason } from '../failure.ts';
import { endpoint } from '../endpoint.ts';
import type { Shape } from '../endpoint.ts';
import { integerParameter } from '../query-parameter.ts';

const traceQuery = z.object({
  after: integerParameter(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('Only frames with a larger id; default: all that are kept'),
});

const tracedFrame = z
  .strictObject({
    id: z.int().describe('Ascending from 1 since the start of the trace'),
    time: z.int().describe('Milliseconds since the epoch'),
    direction: z.enum(FRAME_DIRECTIONS),
    hex: z.string().describe('The bytes, two digits each'),
    meaning: z.string().describe('What they mean in the protocol; empty if they are no whole frame'),
    reasons: z.array(faultReason).optional().describe('Parts of the meaning by code, with their values'),
  })
  .meta({ id: 'TracedFrame' });

const lineTrace = z
  .strictObject({
    frames: z.array(tracedFrame),
    run: z.string().describe('Another one: the trace has started again, and its ids with 1'),
  })
  .meta({ id: 'LineTrace' });

/** Returns the bytes that pass a connection. */
export const traceLine = endpoint({
  method: 'GET',
  path: '/services/drivers/v1/:pid/_trace',
  summary:
    'Returns the last 200 frames of a connection; the first request begins to record them, for a minute after the last one',
  access: 'rest.configuration',
  query: traceQuery,
  response: { status: 200, schema: lineTrace },
});

export type TracedFrame = Shape<typeof tracedFrame>;
