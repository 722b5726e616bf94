import { useEffect } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { CONFIGURATION_ROOT } from '../../forms/change/edit-target.ts';
import { pendingChange } from '../../live/pending-change.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { CurveName } from '../../trend/trend-curve.ts';

/** Recorder of the configuration. */
export interface Recorder {
  readonly pid: string;
  readonly assets: readonly { readonly asset: string; readonly channels?: readonly string[] }[];
}

/** Returns the configured recorders; undefined while they load, and without the permission to read them. */
export function useRecorders(): readonly Recorder[] | undefined {
  const { rest, session } = useConsole();
  const { value, reload } = useResource(
    session.may('rest.configuration') ? 'recorders' : undefined,
    (abort) => rest.get<readonly Recorder[]>(`${CONFIGURATION_ROOT}/recorders`, abort),
  );
  const snapshot = pendingChange.value?.snapshot;
  useEffect(reload, [reload, snapshot]);
  return value;
}

/** Returns the pids of the recorders of a curve. */
export function listRecordersOf(
  recorders: readonly Recorder[],
  { asset, channel }: CurveName,
): readonly string[] {
  return recorders.flatMap(({ pid, assets }) =>
    assets.some((each) => each.asset === asset && (each.channels?.includes(channel) ?? true)) ? [pid] : [],
  );
}
