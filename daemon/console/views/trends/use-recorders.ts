import { useConsole } from '../../api/console-context.ts';
import type { listHistory } from '../../../interface/plant/history.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { useResource } from '../../parts/use-resource.ts';
import { isCurveRecorded } from '../../trend/trend-curve.ts';
import type { CurveName, RecordedAssets } from '../../trend/trend-curve.ts';

/** Recorder, with the assets that the identity can see. */
export interface Recorder extends RecordedAssets {
  readonly recorder: string;
}

// Others add and remove recorders.
const EVERY_MS = 60_000;

/** Returns the current recorders; undefined while they load, and if the identity may not see them. */
export function useRecorders(): readonly Recorder[] | undefined {
  const { rest } = useConsole();
  const { value } = useResource(
    'recorders',
    (abort) => rest.call<typeof listHistory>('GET', '/services/history/v1', { abort }),
    { everyMs: EVERY_MS, version: pendingChange.value?.snapshot },
  );
  return value?.recorders;
}

/** Returns the pids of the recorders of a curve. */
export function listRecordersOf(recorders: readonly Recorder[], curve: CurveName): readonly string[] {
  return recorders.filter((each) => isCurveRecorded([each], curve)).map(({ recorder }) => recorder);
}
