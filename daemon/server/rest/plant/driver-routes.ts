import type { AssetAccess } from '../../../plant/access/asset-access.ts';
import type { AssetRegistry, ConfiguredConnection } from '../../../plant/asset/asset-registry.ts';
import { testConnection } from '../../../plant/asset/connection/connection-test.ts';
import type { ConnectionTest } from '../../../plant/asset/connection/connection-test.ts';
import type { Clock } from '../../../base/clock.ts';
import { formatValue } from '../../../channel/value-json.ts';
import { okForEach } from '../../http/answer.ts';
import { showCodes } from '../../../base/fault-reason.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import { callerOf } from '../caller.ts';
import { listDrivers, testDriver } from '../../../interface/plant/drivers.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { toDriverInfo } from './connection-json.ts';

interface DriverRouteParts {
  readonly registry: AssetRegistry;
  readonly access: Pick<AssetAccess, 'mayRead'>;
  readonly clock: Clock;
}

/** Creates the endpoints that list the connections to devices, and test one. */
export function createDriverRoutes({ registry, access, clock }: DriverRouteParts): readonly Route[] {
  return [
    implement(listDrivers, () =>
      okForEach(registry.listConnections(), (configured) => describe(registry, configured), clock),
    ),
    implement(testDriver, async ({ principal, parameters: { pid } }) => {
      const configured = registry.getConfigured(pid);
      const test = await testConnection(configured, {
        assets: registry.listServed(configured),
        factory: registry.findFactory(configured),
        clock,
      });
      const { channel } = test;
      // Who may configure a channel need not be allowed to read it.
      const isShown =
        channel === undefined || access.mayRead(callerOf({ principal }), channel.asset, channel.name);
      const shown = isShown ? test : { ...test, value: undefined };
      return { status: 200, json: render(pid, configured.endpoint, shown) };
    }),
  ];
}

function describe(
  registry: AssetRegistry,
  configured: ConfiguredConnection,
): ResultOf<typeof listDrivers>[number] {
  const status = configured.connection.status();
  const assets = registry.listServed(configured).map(({ config }) => config.pid);
  return { ...toDriverInfo(configured, status, registry.listWarnings(configured)), assets };
}

/** Returns a test as JSON text: a value of 64 bits has digits that a double would lose. */
function render(pid: string, endpoint: string, test: ConnectionTest): string {
  const { outcome, durationMs, asked, value, failure, advice } = test;
  const head = JSON.stringify({
    pid,
    endpoint,
    outcome,
    durationMs,
    asked: asked?.message,
    askedReasons: asked && showCodes([asked]),
    message: failure?.message,
    statusCode: failure?.status ?? failure?.code,
    reasons: showCodes(failure?.reasons),
    advice: advice.length === 0 ? undefined : advice,
  });
  if (value === undefined) return head;
  return `${head.slice(0, -1)},"value":${formatValue(value.valueType, value.value)}}`;
}
