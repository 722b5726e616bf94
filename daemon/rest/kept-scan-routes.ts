import { z } from '../base/schema.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import { hideSecrets } from '../configuration/secrets.ts';
import type { KeptScan, KeptScans } from '../discovery/kept-scans.ts';
import type { Scans } from '../discovery/scans.ts';
import { mayUse } from '../http/access-policy.ts';
import { noContent, ok } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import type { Principal } from '../identity/identity.ts';
import { callerOf } from './caller.ts';
import { deviceScanBody } from './scan-body.ts';

const ROOT = '/services/drivers/v1/_scans';
const PERMISSION = 'rest.configuration';

const timeMs = z.int().describe('Milliseconds since the epoch');
const anyObject = z.record(z.string(), z.unknown());
const keptScan = z
  .strictObject({
    id: z.string(),
    type: z.string().describe('Kind of driver'),
    target: z.string().describe('Pid of the driver that has the connection, else where the device is'),
    state: z.enum(['RUNNING', 'ENDED', 'FAILED']),
    startedAt: timeMs,
    endedAt: timeMs.optional(),
    done: z.int().optional().describe('Steps that are done'),
    total: z.int().optional().describe('Absent where nobody knows how many there will be'),
    text: z.string().optional().describe('What is being asked'),
    secondsLeft: z.int().optional().describe('Estimate for the present stretch of the scan'),
    found: z.int().describe('How much was found until now'),
  })
  .meta({ id: 'KeptScan' });
const finding = z
  .strictObject({ subject: z.string(), kind: z.string(), text: z.string(), fields: anyObject })
  .meta({ id: 'ScanFinding' });
const foundConnection = z
  .strictObject({
    pid: z.string().optional(),
    type: z.string(),
    settings: anyObject.optional(),
    isRefusing: z.boolean().optional(),
  })
  .meta({ id: 'FoundConnection' });
const proposedAsset = z
  .strictObject({
    pid: z.string(),
    displayName: z.string().optional(),
    template: z.string().optional(),
    parameters: anyObject.optional(),
    channels: z.array(anyObject).optional(),
  })
  .meta({ id: 'ProposedAsset' });
const scanResult = z
  .strictObject({
    isComplete: z.boolean(),
    connection: foundConnection.optional(),
    assets: z.array(proposedAsset),
    notes: z.array(z.string()),
  })
  .meta({ id: 'ScanResult' });
const scanFault = z.strictObject({ code: z.string(), message: z.string() }).meta({ id: 'ScanFault' });
const shownScan = z
  .strictObject({
    ...keptScan.shape,
    settings: anyObject.describe('As they were given, without secrets'),
    findings: z.array(finding),
    result: scanResult.optional(),
    failure: scanFault.optional(),
  })
  .meta({ id: 'ShownScan' });
const scanList = z.strictObject({ scans: z.array(keptScan) }).meta({ id: 'KeptScans' });

interface KeptScanParts {
  readonly scans: Scans;
  readonly keptScans: KeptScans;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly configuration: Pick<ConfigurationStore, 'describe'>;
}

/** Creates the endpoints of scans that go on without their client; each identity sees its own. */
export function createKeptScanRoutes(parts: KeptScanParts): readonly Route[] {
  const { scans, keptScans, identities, configuration } = parts;
  const show = (scan: KeptScan) => toShownScan(scan, configuration);
  return [
    defineRoute({
      method: 'POST',
      path: ROOT,
      summary: 'Looks for devices behind settings, whether somebody waits or not',
      access: PERMISSION,
      request: deviceScanBody,
      audit: 'DEVICES_SCANNED',
      refusals: [409],
      response: { status: 201, schema: shownScan },
      async handle({ body: { type, settings, ...wish }, principal }) {
        const caller = callerOf({ principal });
        const { id: owner } = caller.identity;
        const isPermitted = (): boolean => isStillPermitted(caller, identities);
        const prepared = await scans.prepare(type, settings, wish);
        const scan = keptScans.start(prepared, { owner, type, settings, isPermitted });
        return { ...ok(show(scan), { Location: `${ROOT}/${scan.id}` }), status: 201 };
      },
    }),
    defineRoute({
      method: 'GET',
      path: ROOT,
      summary: 'Lists the own scans, the newest first',
      access: PERMISSION,
      response: { status: 200, schema: scanList },
      handle: (context) => ok({ scans: keptScans.list(ownerOf(context)).map(toRecord) }),
    }),
    defineRoute({
      method: 'GET',
      path: `${ROOT}/:id`,
      summary: 'Shows a scan: how far it is, and what it found',
      access: PERMISSION,
      response: { status: 200, schema: shownScan },
      handle: (context) => ok(show(keptScans.get(ownerOf(context), idOf(context)))),
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/:id/_stop`,
      summary: 'Ends a scan with what was found until then',
      access: PERMISSION,
      response: { status: 204 },
      handle(context) {
        keptScans.stop(ownerOf(context), idOf(context));
        return noContent();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${ROOT}/:id`,
      summary: 'Ends a scan, and forgets what was found',
      access: PERMISSION,
      response: { status: 204 },
      handle(context) {
        keptScans.forget(ownerOf(context), idOf(context));
        return noContent();
      },
    }),
  ];
}

function idOf({ parameters: { id = '' } }: RequestContext): string {
  return id;
}

function ownerOf(context: RequestContext): string {
  return callerOf(context).identity.id;
}

/** The session may have ended since: who leaves the page finds the scan again. */
function isStillPermitted(caller: Principal, identities: Pick<IdentityStore, 'find'>): boolean {
  if (caller.method === 'local') return true;
  const { id, name } = caller.identity;
  const present = identities.find(name);
  return present?.id === id && mayUse({ ...caller, identity: present }, PERMISSION);
}

function toRecord(scan: KeptScan): z.infer<typeof keptScan> {
  const { id, type, target, state, startedAtMs: startedAt, endedAtMs: endedAt, progress, leftMs } = scan;
  return {
    id,
    type,
    target,
    state,
    startedAt,
    endedAt,
    ...progress,
    secondsLeft: leftMs === undefined ? undefined : Math.ceil(leftMs / 1000),
    found: scan.found,
  };
}

/** A scan is found again by whoever has the identity: settings are shown as those of the configuration are. */
function toShownScan(scan: KeptScan, configuration: Pick<ConfigurationStore, 'describe'>) {
  const { type, settings, result, failure, findings } = scan;
  const hide = (given: KeptScan['settings']): object => {
    const { drivers } = hideSecrets(configuration.describe(), { drivers: [{ ...given, type }] });
    const { type: _, ...shown } = drivers[0] ?? {};
    return shown;
  };
  const found = result?.connection?.settings;
  const connection = found === undefined ? undefined : { ...result?.connection, settings: hide(found) };
  return {
    ...toRecord(scan),
    settings: hide(settings),
    findings,
    result: result && { ...result, ...(connection && { connection }) },
    failure,
  };
}
