import type { AssetAccess } from '../access/asset-access.ts';
import type { AssetRegistry, ConfiguredConnection } from '../asset/asset-registry.ts';
import { testConnection } from '../asset/connection-test.ts';
import type { ConnectionTest } from '../asset/connection-test.ts';
import type { Clock } from '../base/clock.ts';
import { z } from '../base/schema.ts';
import { formatValue } from '../channel/value-json.ts';
import { ok } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import { callerOf } from './caller.ts';
import { channelValue } from '../interface/channel-value.ts';
import { driverStatus, toDriverInfo } from './connection-json.ts';

const ROOT = '/services/drivers/v1';
const PERMISSION = 'rest.configuration';

const driverInfo = z
  .strictObject({
    ...driverStatus.shape,
    assets: z.array(z.string()).describe('Pids of the assets that it serves'),
  })
  .meta({ id: 'DriverInfo' });

const connectionTest = z
  .strictObject({
    pid: z.string(),
    endpoint: z.string(),
    outcome: z
      .enum(['ANSWERED', 'CONNECTED', 'FAILED'])
      .describe('CONNECTED: the link stands, and there was nothing to ask for'),
    durationMs: z.int().min(0),
    asked: z.string().optional().describe('What was asked for, for people'),
    value: channelValue.optional(),
    message: z.string().optional().describe('Why no value came'),
    statusCode: z
      .string()
      .optional()
      .describe('What the device said instead of a value, else the code of the failure'),
    advice: z.array(z.string()).optional().describe('Settings that the device needs, for people'),
  })
  .meta({ id: 'ConnectionTest' });

interface DriverRouteParts {
  readonly registry: AssetRegistry;
  readonly access: Pick<AssetAccess, 'mayRead'>;
  readonly clock: Clock;
}

/** Creates the endpoints that list the connections to devices, and test one. */
export function createDriverRoutes({ registry, access, clock }: DriverRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: ROOT,
      summary: 'Lists the drivers with the state of their connections',
      access: PERMISSION,
      response: { status: 200, schema: z.array(driverInfo) },
      handle: () => ok(registry.listConnections().map((configured) => describe(registry, configured))),
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/:pid/_test`,
      summary: 'Connects to a device, asks it once, and says what came',
      access: PERMISSION,
      response: { status: 200, schema: connectionTest },
      async handle(context) {
        const { pid = '' } = context.parameters;
        const configured = registry.getConfigured(pid);
        const test = await testConnection(configured, {
          assets: registry.listServed(configured),
          factory: registry.findFactory(configured),
          clock,
        });
        const { channel } = test;
        // Who may configure a channel need not be allowed to read it.
        const isShown =
          channel === undefined || access.mayRead(callerOf(context), channel.asset, channel.name);
        const shown = isShown ? test : { ...test, value: undefined };
        return { status: 200, json: render(pid, configured.endpoint, shown) };
      },
    }),
  ];
}

function describe(
  registry: AssetRegistry,
  configured: ConfiguredConnection,
): Readonly<Record<string, unknown>> {
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
    asked,
    message: failure?.message,
    statusCode: failure?.status ?? failure?.code,
    advice: advice.length === 0 ? undefined : advice,
  });
  if (value === undefined) return head;
  return `${head.slice(0, -1)},"value":${formatValue(value.valueType, value.value)}}`;
}
