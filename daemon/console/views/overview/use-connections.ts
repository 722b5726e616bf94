import { useRef } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { DriverStatus, listDrivers } from '../../../interface/drivers.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { Resource } from '../../parts/use-resource.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { addSample, loadOf, toSample } from './line-load.ts';
import type { LineLoad, LineSample } from './line-load.ts';

/** A connection with what it did lately. */
export interface ShownConnection {
  readonly driver: DriverStatus;
  readonly load: LineLoad;
}

const EVERY_MS = 5000;

/** Asks for the connections; whoever may not know all of them sees those of the assets. No device is asked. */
export function useConnections(
  assets: readonly AssetHead[] | undefined,
): Resource<readonly ShownConnection[]> {
  const { rest, session } = useConsole();
  const samples = useRef(new Map<string, readonly LineSample[]>());
  const mayAsk = session.may('rest.configuration');
  const asked = useResource(
    mayAsk ? 'drivers' : undefined,
    async (abort) => {
      const drivers = await rest.call<typeof listDrivers>('GET', '/services/drivers/v1', { abort });
      return drivers.map((driver) => withLoad(driver, samples.current));
    },
    { everyMs: EVERY_MS },
  );
  const seen = useRef<readonly AssetHead[] | undefined>(undefined);
  const shown = useRef<readonly ShownConnection[]>([]);
  if (mayAsk) return asked;
  if (assets !== undefined && seen.current !== assets) {
    seen.current = assets;
    const drivers = new Map(assets.map(({ status }) => [status.driver.pid, status.driver] as const));
    shown.current = [...drivers.values()].map((driver) => withLoad(driver, samples.current));
  }
  return { ...asked, value: assets === undefined ? undefined : shown.current };
}

function withLoad(driver: DriverStatus, samples: Map<string, readonly LineSample[]>): ShownConnection {
  const next = addSample(samples.get(driver.pid) ?? [], toSample(driver.counters, Date.now()));
  samples.set(driver.pid, next);
  return { driver, load: loadOf(next) };
}
