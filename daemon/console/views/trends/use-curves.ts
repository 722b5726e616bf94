import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type { ChannelRecord, listChannels } from '../../../interface/plant/assets.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import { keyOfCurve } from '../../trend/trend-curve.ts';
import type { CurveName } from '../../trend/trend-curve.ts';

/** Curve of the page. */
export interface Curve {
  readonly name: CurveName;
  readonly key: string;
  /** Undefined if the channel has no curve. */
  readonly channel: ChannelRecord | undefined;
  /** Reason that the channel has no curve; undefined if it has one. */
  readonly absence: CurveAbsence | undefined;
}

type CurveAbsence = 'noAsset' | 'noChannel' | 'disabled' | 'noNumber';

/** Loads the channels of the assets of the curves; inaccessible assets have none. */
export function useCurves(names: readonly CurveName[]): Resource<readonly Curve[]> {
  const { rest } = useConsole();
  return useResource(names.length === 0 ? undefined : names.map(keyOfCurve).join(','), async (abort) => {
    const assets = [...new Set(names.map(({ asset }) => asset))];
    const lists = await Promise.allSettled(
      assets.map((pid) =>
        rest.call<typeof listChannels>('GET', `/services/assets/${encodeURIComponent(pid)}`, { abort }),
      ),
    );
    const failed = lists.find((list) => list.status === 'rejected' && !isUnknownAsset(list.reason));
    if (lists.every(({ status }) => status === 'rejected') && failed?.status === 'rejected')
      throw failed.reason;
    return names.map((name) => {
      const list = lists[assets.indexOf(name.asset)];
      const channels = list?.status === 'fulfilled' ? list.value : undefined;
      const found = channels?.find((each) => each.name === name.channel);
      const absence = channels === undefined ? 'noAsset' : findAbsence(found);
      return { name, key: keyOfCurve(name), channel: absence === undefined ? found : undefined, absence };
    });
  });
}

// Its curves can be removed one by one.
function isUnknownAsset(error: unknown): boolean {
  return error instanceof RestFailure && error.status === 404;
}

/** True if a channel is numeric. */
export function isDrawn(channel: ChannelRecord): boolean {
  return findAbsence(channel) === undefined;
}

function findAbsence(channel: ChannelRecord | undefined): CurveAbsence | undefined {
  if (channel === undefined) return 'noChannel';
  const { type, valueType, isEnabled } = channel;
  if (!isEnabled) return 'disabled';
  return type === 'WRITE' || valueType === 'STRING' || valueType === 'BYTE_ARRAY' ? 'noNumber' : undefined;
}
