import { createClientVerb } from './client-verb.ts';
import { formatTable } from './table.ts';

const ROOT = '/services/deploy/v2/_bundles';

interface ListedBundle {
  readonly package: string;
  readonly name: string;
  readonly version: string;
  readonly state: string;
  /** Why it is FAILED. */
  readonly cause?: string;
  /** Milliseconds since the epoch. */
  readonly restartAt?: number;
}

/** Lists and restarts the bundles of the installed packages. */
export const bundle = createClientVerb('bundle', 'lists and restarts the bundles of packages', {
  list: {
    parameters: '',
    summary: 'lists the bundles with package, state and cause',
    run: async ({ client, show }) => {
      const { body } = await client.send('GET', ROOT);
      show(body as readonly ListedBundle[], formatBundles);
    },
  },
  restart: {
    parameters: 'NAME',
    summary: 'restarts a bundle, including one that is no longer restarted',
    run: async ({ client, words: [name = ''], terminal }) => {
      await client.send('POST', `${ROOT}/${encodeURIComponent(name)}/_restart`);
      terminal.note('the bundle is being restarted\n');
    },
  },
});

function formatBundles(bundles: readonly ListedBundle[]): string {
  if (bundles.length === 0) return 'No package with bundles is installed.\n';
  return formatTable<ListedBundle>(
    [
      { title: 'PACKAGE', show: (row) => row.package },
      { title: 'BUNDLE', show: ({ name }) => name },
      { title: 'VERSION', show: ({ version }) => version },
      { title: 'STATE', show: ({ state }) => state },
      {
        title: 'STARTED AGAIN',
        show: ({ restartAt }) => (restartAt === undefined ? '' : new Date(restartAt).toISOString()),
      },
      { title: 'CAUSE', show: ({ cause }) => cause ?? '' },
    ],
    bundles,
  );
}
