import path from 'node:path';

import { createDriverFactories } from '../../drivers/index.ts';
import type { AssetRegistry } from '../asset/asset-registry.ts';
import { BundleBridge } from '../bridge/bundle-bridge.ts';
import { openDriverKindStore } from '../bridge/driver-kind-store.ts';
import { DriverRegistry } from '../bridge/driver-registry.ts';
import { DriverLinks } from '../bridge/driver-links.ts';
import { BundleSupervisor } from '../bundle/bundle-supervisor.ts';
import type { BundleStatus } from '../bundle/supervised-bundle.ts';
import type { DriverFactory } from '../channel/driver.ts';
import type { Ground } from './ground.ts';
import type { EventLog } from '../event/event-log.ts';
import type { BundleStateEvent } from '../event/gateway-event.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { IdentityStore } from '../identity/identity-store.ts';

/** What the bundles of drivers and the configurations that name them have in common. */
export interface BundleDrivers {
  readonly kinds: DriverRegistry;
  readonly links: DriverLinks;
}

export interface BundleDriversOptions {
  readonly dataDirectory: string;
  /** Whether the gateway starts still. */
  readonly isStarting: () => boolean;
  /** Whether a bundle of this symbolic name is installed. */
  readonly isInstalled: (bundle: string) => boolean;
}

/** Constructs what knows every kind of driver, those of bundles included. */
export async function composeBundleDrivers(options: BundleDriversOptions): Promise<BundleDrivers> {
  const links = new DriverLinks();
  const kinds = new DriverRegistry({
    builtIn: createDriverFactories(),
    store: await openDriverKindStore(toKindsFile(options.dataDirectory)),
    links,
    isLenient: options.isStarting,
    isPresent: options.isInstalled,
  });
  return { kinds, links };
}

/** Gives every kind of driver that is known from the state alone; nothing runs. */
export async function listKnownKinds(dataDirectory: string): Promise<readonly DriverFactory[]> {
  const nothing = { isStarting: () => false, isInstalled: () => false };
  const { kinds } = await composeBundleDrivers({ dataDirectory, ...nothing });
  return kinds.list();
}

export interface BundleGround extends Pick<Ground, 'audit' | 'logger' | 'clock'> {
  readonly drivers: BundleDrivers;
  readonly registry: AssetRegistry;
  readonly authenticator: Authenticator;
  readonly identities: IdentityStore;
  readonly events: Pick<EventLog, 'publish'>;
}

/** Constructs what runs bundles, and what they talk to. */
export function composeBundles(ground: BundleGround): BundleSupervisor {
  const { drivers, registry, identities, events, logger, clock } = ground;
  const authenticator = recordProviders(ground);
  return new BundleSupervisor({
    host: new BundleBridge({ ...drivers, registry, authenticator, identities }),
    onStateChange: (status) => events.publish(toEvent(status)),
    logger,
    clock,
  });
}

/** Lets providers take part, and records from when to when they do. */
function recordProviders({
  authenticator,
  audit,
}: Pick<BundleGround, 'authenticator' | 'audit'>): Pick<Authenticator, 'add'> {
  return {
    add(provider) {
      const note = (event: 'PROVIDER_ENABLED' | 'PROVIDER_DISABLED'): void =>
        audit.record({
          event,
          outcome: 'SUCCESS',
          target: provider.name,
          detail: { priority: provider.priority },
        });
      const remove = authenticator.add(provider);
      note('PROVIDER_ENABLED');
      return () => {
        remove();
        note('PROVIDER_DISABLED');
      };
    },
  };
}

function toKindsFile(dataDirectory: string): string {
  return path.join(dataDirectory, 'bundle-drivers.json');
}

function toEvent({ bundle: { id }, state, cause, restartAtMs }: BundleStatus): BundleStateEvent {
  const { name, version } = id;
  return { type: 'BUNDLE_STATE', bundle: name, version, state, cause, restartAt: restartAtMs };
}
