import path from 'node:path';
import { getHeapStatistics } from 'node:v8';

import type { AuditLog } from '../security/audit/audit-log.ts';
import { ByteBudget } from '../base/sharing/byte-budget.ts';
import type { Logger } from '../base/logger.ts';
import type { Application } from '../server/http/application.ts';
import { ConnectionTable } from '../server/http/connection/connection-table.ts';
import { ListenerSet } from '../server/http/connection/listener-set.ts';
import { LocalListener } from '../server/http/connection/local-listener.ts';
import { unmapped } from '../server/http/proxy/trusted-proxies.ts';
import type { HostServices } from './host-services.ts';
import { Network } from '../server/http/connection/network.ts';
import type { NetworkStatus } from './network-status.ts';
import type { StaticSettings } from './static-settings.ts';
import type { Supervision } from './supervision.ts';

export interface ListenerOptions {
  readonly application: Application;
  readonly settings: StaticSettings;
  readonly networkStatus: NetworkStatus;
  readonly audit: AuditLog;
  readonly dataDirectory: string;
  readonly supervision: Supervision | undefined;
  readonly logger: Logger;
  readonly hostServices: HostServices;
}

// Share of the heap for requests, bodies and unread answers of clients: 40 MiB of the service's 640.
const CLIENT_SHARE = 1 / 16;

/** Constructs the ports and the local socket, which share one limit on the memory of clients. */
export function composeListeners(options: ListenerOptions) {
  const { application, settings, networkStatus, audit, dataDirectory, supervision, logger, hostServices } =
    options;
  const { clock, listen, certificateLookIntervalMs } = hostServices;
  const budget = new ByteBudget({ maximumBytes: getHeapStatistics().heap_size_limit * CLIENT_SHARE, clock });
  const isProxy = (address: string): boolean => settings.trustedProxies.has(unmapped(address));
  const drainMs = (): number => settings.drainMs;
  const listeners = new ListenerSet({
    application,
    connections: new ConnectionTable({ budget, isProxy }),
    drainMs,
    inheritedSockets: supervision?.inheritedSockets ?? new Map(),
    logger,
    clock,
    listen,
  });
  const network = new Network({
    listeners,
    settings: settings.current,
    logger,
    audit,
    clock,
    certificateLookIntervalMs,
  });
  networkStatus.follow(network);
  // systemd provides a directory that exists while the daemon runs; a checkout has only the data directory.
  const runtimeDirectory = supervision?.runtimeDirectory;
  const localListener = new LocalListener({
    path: path.join(runtimeDirectory ?? dataDirectory, 'penstock.sock'),
    // The group may connect where the directory admits it; root needs no permission.
    mode: runtimeDirectory === undefined ? 0o600 : 0o660,
    application,
    budget,
    drainMs,
    logger,
    clock,
    listen,
  });
  return { network, localListener };
}
