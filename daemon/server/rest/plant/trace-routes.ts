import { InvalidRequest } from '../../../base/errors.ts';
import { isTracing } from '../../../channel/trace/tracing-driver.ts';
import { traceLine } from '../../../interface/plant/tracing.ts';
import type { AssetRegistry } from '../../../plant/asset/asset-registry.ts';
import type { LineTraces } from '../../../plant/asset/connection/line-traces.ts';
import { ok } from '../../http/answer.ts';
import { showCodes } from '../../../base/fault-reason.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';

/** Creates the endpoint that shows the bytes of a connection. */
export function createTraceRoutes(
  registry: Pick<AssetRegistry, 'getConfigured'>,
  traces: LineTraces,
): readonly Route[] {
  return [
    implement(traceLine, ({ parameters: { pid }, query: { after } }) => {
      const { config, connection } = registry.getConfigured(pid);
      const driver = connection.find(isTracing);
      if (driver === undefined) {
        const detail = `driver type "${config.type}" does not show its bytes`;
        throw new InvalidRequest({ code: 'TRACE_UNSUPPORTED', detail });
      }
      const trace = traces.read(pid, driver, after);
      const frames = trace.frames.map(({ id, timeMs: time, direction, bytes, meaning, reasons }) => ({
        id,
        time,
        direction,
        hex: bytes.toString('hex'),
        meaning,
        reasons: showCodes(reasons),
      }));
      return ok({ frames, run: trace.run });
    }),
  ];
}
