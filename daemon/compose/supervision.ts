import type { Clock } from '../base/clock.ts';
import type { Startable } from '../base/lifecycle.ts';
import type { Logger } from '../base/logger.ts';
import type { InheritedSockets } from '../machine/service/inherited-sockets.ts';
import type { ProbedPort } from '../machine/service/port-probe.ts';
import type { ServiceManager } from '../machine/service/service-manager.ts';
import { Watchdog } from '../machine/service/watchdog.ts';
import type { Network } from '../server/http/connection/network.ts';
import type { StaticSettings } from './static-settings.ts';

/** The service manager that supervises the process, and the sockets, directory and launcher of bundles that it provides. */
export interface Supervision {
  readonly manager: ServiceManager;
  readonly inheritedSockets: InheritedSockets;
  readonly runtimeDirectory?: string | undefined;
  /** Socket of the launcher that starts bundles as separate units; absent: they are child processes. */
  readonly launcherSocket?: string | undefined;
}

export interface WatchdogOptions {
  readonly supervision: Supervision | undefined;
  readonly network: Pick<Network, 'openPorts'>;
  readonly settings: StaticSettings;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Constructs the watchdog; returns an empty list without a service manager. */
export function composeWatchdog(options: WatchdogOptions): readonly Startable[] {
  const { supervision, network, settings, logger, clock } = options;
  if (supervision === undefined) return [];
  return [new Watchdog({ manager: supervision.manager, ports: listProbedPorts, clock, logger })];

  function listProbedPorts(): readonly ProbedPort[] {
    const { host } = settings.current.http;
    const { http, https, httpsClientAuth } = network.openPorts();
    return [
      ...http.map((port) => ({ host, port, isTls: false })),
      ...[...https, ...httpsClientAuth].map((port) => ({ host, port, isTls: true })),
    ];
  }
}
