import type { IncomingMessage } from 'node:http';

import type { Clock } from '../base/clock.ts';
import { createMachineNames } from '../base/network/machine-names.ts';
import { createHostNames, refuseUnknownHost } from '../server/http/proxy/host-names.ts';
import { HttpRefusal } from '../server/http/problem.ts';
import type { NetworkStatus } from './network-status.ts';
import type { StaticSettings } from './static-settings.ts';

interface HostOptions {
  readonly settings: StaticSettings;
  readonly networkStatus: Pick<NetworkStatus, 'serverCertificate'>;
  readonly clock: Clock;
}

/** Constructs the check of the `Host` header, for the ports of the gateway and the metrics port. */
export function composeHosts({ settings, networkStatus, clock }: HostOptions) {
  const isKnownHost = createHostNames({
    configured: () => settings.current.http.names,
    certificate: () => networkStatus.serverCertificate,
    isOfMachine: createMachineNames(clock),
  });
  const findRefusal = (request: IncomingMessage): { status: number; message: string } | undefined => {
    try {
      refuseUnknownHost(request, isKnownHost, settings.trustedProxies);
      return undefined;
    } catch (error) {
      if (!(error instanceof HttpRefusal)) throw error;
      return { status: error.status, message: error.detail };
    }
  };
  return { isKnownHost, findRefusal };
}
