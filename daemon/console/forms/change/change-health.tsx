import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { readAsset } from '../../../interface/plant/assets.ts';
import type { listDrivers } from '../../../interface/plant/drivers.ts';
import type { Difference } from '../difference.ts';
import { shownDriver } from '../../parts/connection-state.ts';
import { explainCause } from '../../parts/gateway-words.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { listItems } from './edit-target.ts';
import type { Document } from './edit-target.ts';

interface ChangeHealthProps {
  readonly differences: readonly Difference[];
  /** Active configuration. */
  readonly document: Document;
}

interface ReadAsset {
  readonly asset: string;
  readonly good: number;
  readonly all: number;
}

/** Shows the health of a change: the states of the affected connections and, on request, the number of good values. */
export function ChangeHealth({ differences, document }: ChangeHealthProps): JSX.Element {
  const { rest } = useConsole();
  const touched = listTouched(differences, document);
  const drivers = useResource(
    touched.size === 0 ? undefined : [...touched].join(' '),
    (abort) => rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort }),
    { everyMs: 2000 },
  );
  const [counts, setCounts] = useState<readonly ReadAsset[]>([]);
  const [error, setError] = useState<unknown>(undefined);
  if (touched.size === 0) return <p class="soft">{fill(CONFIGURATION.noConnection)}</p>;
  const shown = (drivers.value ?? []).filter(({ pid }) => touched.has(pid));
  const assets = shown.flatMap((driver) => driver.assets);

  const readAll = async (): Promise<void> => {
    setError(undefined);
    setCounts([]);
    try {
      for (const asset of assets) {
        const records = await rest.call<typeof readAsset>(
          'GET',
          `/services/assets/${encodeURIComponent(asset)}/_read`,
        );
        const good = records.filter(({ channelStatus }) => channelStatus.channelFlag === 'SUCCESS').length;
        setCounts((before) => [...before, { asset, good, all: records.length }]);
      }
    } catch (thrown) {
      setError(thrown);
    }
  };

  return (
    <div class="change-health">
      <h3>{fill(CONFIGURATION.affected)}</h3>
      {drivers.error === undefined ? undefined : (
        <FailureNotice error={drivers.error} onRetry={drivers.reload} />
      )}
      <ul>
        {shown.map(({ pid, state, lastError = '', lastErrorCode, lastErrorReasons, endpoint }) => (
          <li key={pid}>
            <span class="code">{pid}</span> <span class="code soft">{endpoint}</span>{' '}
            <StateWord {...shownDriver(state)} />{' '}
            {state === 'BACKING_OFF' ? explainCause(lastErrorCode, lastError, lastErrorReasons) : undefined}
          </li>
        ))}
        {counts.map(({ asset, good, all }) => (
          <li key={asset}>
            <StateWord
              tone={good === all ? 'good' : 'attention'}
              words={fill(CONFIGURATION.goodOf, { asset, good, all })}
            />
          </li>
        ))}
      </ul>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      {assets.length === 0 ? undefined : (
        <button type="button" onClick={() => void readAll()}>
          {fill(CONFIGURATION.readValues, { assets: assets.join(', ') })}
        </button>
      )}
    </div>
  );
}

/** Lists the drivers that a change affects, directly or through an asset. */
function listTouched(differences: readonly Difference[], document: Document): ReadonlySet<string> {
  const assets = listItems(document, 'assets');
  const drivers = new Set(listItems(document, 'drivers').map(({ pid }) => pid));
  const named = differences.flatMap(({ path: [section, pid] }) => {
    if (section === 'drivers') return [pid];
    if (section !== 'assets') return [];
    return [assets.find((asset) => asset['pid'] === pid)?.['driver']];
  });
  return new Set(named.filter((pid): pid is string => typeof pid === 'string' && drivers.has(pid)));
}
