import type { ResultOf } from '../../../interface/endpoint.ts';
import {
  listInventory,
  listKuraBundles,
  listKuraPackages,
  listSystemPackages,
  startKuraBundle,
  stopKuraBundle,
} from '../../../interface/kura/inventory.ts';
import type { DeploymentAdmin, ListedBundle } from '../../../software/deployment/deployment-admin.ts';
import { emptyOk, ok } from '../../http/answer.ts';
import { implement } from '../../http/implement.ts';
import type { Route } from '../../http/route.ts';

type BundleRecord = ResultOf<typeof listKuraBundles>['bundles'][number];

interface KuraInventoryRouteParts {
  readonly packages: Pick<DeploymentAdmin, 'list' | 'listBundles' | 'startBundle' | 'stopBundle'>;
  readonly listDebianPackages: () => Promise<readonly { readonly name: string; readonly version: string }[]>;
}

/** Creates the endpoints of `inventory/v1` of Kura, without containers and images. */
export function createKuraInventoryRoutes({
  packages,
  listDebianPackages,
}: KuraInventoryRouteParts): readonly Route[] {
  const listSystem = async () =>
    (await listDebianPackages()).map(({ name, version }) => ({ name, version, type: 'DEB' }) as const);
  return [
    implement(listInventory, async () => {
      const items = [
        ...packages.listBundles().map(({ name, version }) => ({ name, version, type: 'BUNDLE' }) as const),
        ...packages.list().map(({ name, version }) => ({ name, version, type: 'DP' }) as const),
        ...(await listSystem()),
      ];
      return ok({ inventory: items.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
    }),
    implement(listKuraBundles, () => ok({ bundles: toRecords(packages.listBundles()) })),
    implement(listKuraPackages, () => {
      const bundles = packages.listBundles();
      const records = toRecords(bundles);
      return ok({
        deploymentPackages: packages.list().map(({ name, version }) => {
          const own = records.filter((_, index) => bundles[index]?.package === name);
          return { name, version, bundles: own, signed: own.length > 0 && own.every(({ signed }) => signed) };
        }),
      });
    }),
    implement(listSystemPackages, async () => ok({ systemPackages: await listSystem() })),
    implement(startKuraBundle, (call) => {
      call.auditAnnotation = { details: [{ bundle: call.body.name, action: 'start' }] };
      packages.startBundle(call.body);
      return emptyOk();
    }),
    implement(stopKuraBundle, async (call) => {
      call.auditAnnotation = { details: [{ bundle: call.body.name, action: 'stop' }] };
      await packages.stopBundle(call.body);
      return emptyOk();
    }),
  ];
}

function toRecords(bundles: readonly ListedBundle[]): BundleRecord[] {
  return bundles.map(({ name, version, state, isSigned }, index) => ({
    name,
    version,
    id: index + 1,
    // The framework of Kura has no state for a bundle that should run and does not.
    state: state === 'FAILED' ? 'RESOLVED' : state,
    signed: isSigned,
  }));
}
