import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { ScanEvent } from '../../../channel/discovery.ts';
import { describeScanFailure } from '../../../plant/discovery/scan.ts';
import type { PreparedScan, Scans } from '../../../plant/discovery/scans.ts';
import { eventStream } from '../../http/answer.ts';
import type { Answer } from '../../http/answer.ts';
import type { EventSink } from '../../http/stream/event-stream.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { scanConnection, scanDevice } from '../../../interface/plant/scans.ts';

// For display; devices are polled more often.
const PROGRESS_INTERVAL_MS = 250;

interface ScanParts {
  readonly scans: Scans;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Creates the endpoints that look for devices and send what is found; a scan ends when its client goes away. */
export function createScanRoutes(parts: ScanParts): readonly Route[] {
  const { scans } = parts;
  return [
    implement(scanDevice, async ({ body: { type, settings, ...rest } }) =>
      sendScan(await scans.prepare(type, settings, rest), parts),
    ),
    implement(scanConnection, ({ parameters: { pid }, body }) =>
      sendScan(scans.prepareConfigured(pid, body), parts),
    ),
  ];
}

function sendScan(scan: PreparedScan, { logger, clock }: ScanParts): Answer<never> {
  return eventStream((sink) => {
    const stopping = new AbortController();
    const report = createReport(sink, clock);
    scan.run({ signal: stopping.signal, report }).then(
      (result) => {
        sink.send({ type: 'result', data: JSON.stringify(result) });
        sink.end('COMPLETED');
      },
      (error: unknown) => {
        sink.send({ type: 'failed', data: JSON.stringify(describeScanFailure(error, logger)) });
        sink.end('FAILED');
      },
    );
    return { resume: () => undefined, stop: () => stopping.abort() };
  });
}

function createReport(sink: EventSink, clock: Clock): (event: ScanEvent) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return ({ type, ...data }) => {
    if (type === 'progress') {
      const nowMs = clock.monotonicMs();
      if (sink.isFull || nowMs - shownMs < PROGRESS_INTERVAL_MS) return;
      shownMs = nowMs;
    }
    sink.send({ type, data: JSON.stringify(data) });
  };
}
