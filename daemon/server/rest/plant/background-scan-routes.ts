import type { ConfigurationStore } from '../../../configuration/store/configuration-store.ts';
import { hideSecrets } from '../../../configuration/store/secrets.ts';
import type { BackgroundScan, BackgroundScans } from '../../../plant/discovery/background-scans.ts';
import type { Scans } from '../../../plant/discovery/scans.ts';
import { mayUse } from '../../http/access-policy.ts';
import { noContent, ok } from '../../http/answer.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';
import type { IdentityStore } from '../../../security/identity/identity-store.ts';
import type { Principal } from '../../../security/identity/identity.ts';
import { callerOf } from '../caller.ts';
import type { ResultOf } from '../../../interface/endpoint.ts';
import { forgetScan, listScans, readScan, startScan, stopScan } from '../../../interface/plant/scans.ts';

type ScanRecord = ResultOf<typeof listScans>['scans'][number];

interface BackgroundScanParts {
  readonly scans: Scans;
  readonly backgroundScans: BackgroundScans;
  readonly identities: Pick<IdentityStore, 'find'>;
  readonly configuration: Pick<ConfigurationStore, 'describe'>;
}

/** Creates the endpoints of scans that go on without their client; each identity sees its own. */
export function createBackgroundScanRoutes(parts: BackgroundScanParts): readonly Route[] {
  const { scans, backgroundScans, identities, configuration } = parts;
  const show = (scan: BackgroundScan) => toShownScan(scan, configuration);
  return [
    implement(startScan, async ({ body: { type, settings, ...request }, principal }) => {
      const caller = callerOf({ principal });
      const { id: owner } = caller.identity;
      const isPermitted = (): boolean => isStillPermitted(caller, identities);
      const prepared = await scans.prepare(type, settings, request);
      const scan = backgroundScans.start(prepared, { owner, type, settings, isPermitted });
      return { ...ok(show(scan), { Location: `${listScans.path}/${scan.id}` }), status: 201 };
    }),
    implement(listScans, (call) => ok({ scans: backgroundScans.list(ownerOf(call)).map(toRecord) })),
    implement(readScan, (call) => ok(show(backgroundScans.get(ownerOf(call), call.parameters.id)))),
    implement(stopScan, (call) => {
      backgroundScans.stop(ownerOf(call), call.parameters.id);
      return noContent();
    }),
    implement(forgetScan, (call) => {
      backgroundScans.forget(ownerOf(call), call.parameters.id);
      return noContent();
    }),
  ];
}

function ownerOf(context: Pick<RequestContext, 'principal'>): string {
  return callerOf(context).identity.id;
}

/** The session may have ended since: who leaves the page finds the scan again. */
function isStillPermitted(caller: Principal, identities: Pick<IdentityStore, 'find'>): boolean {
  if (caller.method === 'local') return true;
  const { id, name } = caller.identity;
  const present = identities.find(name);
  return present?.id === id && mayUse({ ...caller, identity: present }, startScan.access);
}

function toRecord(scan: BackgroundScan): ScanRecord {
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

/** Every client of the identity can read a scan: its secrets are hidden as in the configuration. */
function toShownScan(
  scan: BackgroundScan,
  configuration: Pick<ConfigurationStore, 'describe'>,
): ResultOf<typeof readScan> {
  const { type, settings, result, failure, findings } = scan;
  const hide = (given: BackgroundScan['settings']): BackgroundScan['settings'] => {
    const { drivers } = hideSecrets(configuration.describe(), { drivers: [{ ...given, type }] });
    const { type: _, ...shown } = drivers[0] ?? {};
    return shown;
  };
  const found = result?.connection;
  const connection = found?.settings === undefined ? found : { ...found, settings: hide(found.settings) };
  return {
    ...toRecord(scan),
    settings: hide(settings),
    findings,
    result: result && { ...result, connection },
    failure,
  };
}
