import type { Clock } from '../../base/clock.ts';
import { runInSlices } from '../../base/slices.ts';
import { describeRoutes } from './openapi.ts';
import { implement } from '../http/implement.ts';
import { describeInterface } from '../../interface/description.ts';
import type { Route } from '../http/route.ts';

interface DescriptionRouteParts {
  /** Every endpoint of the gateway. */
  readonly routes: () => readonly Route[];
  /** Version of the product. */
  readonly version: string;
  readonly clock: Clock;
}

/** Creates the endpoint that describes all others; it discloses nothing of this gateway, so anybody may call it. */
export function createDescriptionRoutes({ routes, version, clock }: DescriptionRouteParts): readonly Route[] {
  // The endpoints do not change while the gateway runs, and the prefix of a proxy does not either.
  let last: { readonly pathPrefix: string; readonly json: Promise<Buffer> } | undefined;
  return [
    implement(describeInterface, async ({ pathPrefix }) => {
      if (last?.pathPrefix !== pathPrefix) last = { pathPrefix, json: describe(pathPrefix) };
      return { status: 200, json: await last.json };
    }),
  ];

  async function describe(pathPrefix: string): Promise<Buffer> {
    const description = await runInSlices(describeRoutes(routes(), version, pathPrefix), clock);
    return Buffer.from(JSON.stringify(description));
  }
}
