import { z } from '../base/schema.ts';
import type { BundleSupervisor } from '../bundle/bundle-supervisor.ts';
import type { BundleStatus } from '../bundle/supervised-bundle.ts';
import type { DeploymentAdmin, ListedPackage } from '../deployment/deployment-admin.ts';
import { noContent, ok } from '../http/answer.ts';
import { bundleState } from './deployment-routes.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const ROOT = '/services/deploy/v2/_bundles';
const PERMISSION = 'rest.deploy';

const listedBundle = z.strictObject({
  package: z.string(),
  name: z.string(),
  version: z.string(),
  state: bundleState,
  /** Reason for the state FAILED. */
  cause: z.string().optional(),
  /** Time of the next start in milliseconds since the epoch; absent: none is planned. */
  restartAt: z.int().optional(),
});

interface BundleRouteParts {
  readonly bundles: Pick<BundleSupervisor, 'list' | 'restart'>;
  readonly packages: Pick<DeploymentAdmin, 'list'>;
}

/** Creates the endpoints that show and restart bundles. */
export function createBundleRoutes({ bundles, packages }: BundleRouteParts): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: ROOT,
      summary: 'Lists the installed bundles with their states',
      access: PERMISSION,
      response: { status: 200, schema: z.array(listedBundle) },
      handle: () => ok(packages.list().flatMap((each) => listBundles(each, bundles.list()))),
    }),
    defineRoute({
      method: 'POST',
      path: `${ROOT}/:name/_restart`,
      summary: 'Restarts a bundle, also one whose restarts were given up',
      access: PERMISSION,
      audit: 'BUNDLE_RESTARTED',
      response: { status: 204 },
      handle({ parameters: { name = '' } }) {
        bundles.restart(name);
        return noContent();
      },
    }),
  ];
}

function listBundles(
  { name, bundles }: ListedPackage,
  statuses: readonly BundleStatus[],
): readonly z.infer<typeof listedBundle>[] {
  return bundles.map((listed) => {
    const { cause, restartAtMs: restartAt } =
      statuses.find(({ bundle: { id } }) => id.name === listed.name && id.version === listed.version) ?? {};
    return { package: name, ...listed, cause, restartAt };
  });
}
