import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { ScanSummary } from '../../../interface/plant/scans.ts';
import { ownScans, seenScans, stopScan, useOwnScans } from '../../live/own-scans.ts';
import { linkTo } from '../../parts/route.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { describeEnd, describeScan, describeSteps } from './scan-words.ts';

/** Shows the running scan, or an ended one that was not opened yet, on every page. */
export function ScanStrip(): JSX.Element | undefined {
  const { rest, session } = useConsole();
  const isPermitted = session.may('rest.configuration');
  useOwnScans(rest, isPermitted && session.state.value.kind === 'SIGNED_IN');
  const scan = findShown(ownScans.value);
  if (!isPermitted || scan === undefined) return undefined;
  const { id, target, state } = scan;
  const isRunning = state === 'RUNNING';
  return (
    <span class="scan-strip">
      <span class={state === 'FAILED' ? 'state fault wide' : 'wide'} role={isRunning ? undefined : 'status'}>
        {fill(DEVICES.scanOf, { target })}: {describeScan(scan)}
      </span>
      <a class="wide" href={linkTo(['devices', 'add'], { scan: id })}>
        {fill(DEVICES.open)}
      </a>
      <a
        class="narrow"
        href={linkTo(['devices', 'add'], { scan: id })}
        aria-label={`${fill(DEVICES.scanOf, { target })}: ${describeScan(scan)}`}
      >
        {isRunning ? describeSteps(scan) : describeEnd(state)}
      </a>
      {isRunning ? (
        <button
          class="plain wide"
          type="button"
          // If it fails, the strip still shows the scan as running.
          onClick={() => void stopScan(rest, id).catch(() => undefined)}
        >
          {fill(DEVICES.stop)}
        </button>
      ) : undefined}
    </span>
  );
}

function findShown(scans: readonly ScanSummary[]): ScanSummary | undefined {
  return scans.find(({ state }) => state === 'RUNNING') ?? scans.find(({ id }) => !seenScans.value.has(id));
}
