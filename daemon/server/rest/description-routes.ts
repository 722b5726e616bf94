import type { Answer } from '../http/answer.ts';
import { describeRoutes } from './openapi.ts';
import { implement } from '../http/implement.ts';
import { describeInterface } from '../../interface/description.ts';
import type { Route } from '../http/route.ts';

interface DescriptionRouteParts {
  /** Every endpoint of the gateway. */
  readonly routes: () => readonly Route[];
  /** Version of the product. */
  readonly version: string;
}

/** Creates the endpoint that describes all others; it discloses nothing of this gateway, so anybody may call it. */
export function createDescriptionRoutes({ routes, version }: DescriptionRouteParts): readonly Route[] {
  // The endpoints do not change while the gateway runs, and the prefix of a proxy does not either.
  let last: { readonly pathPrefix: string; readonly answer: Answer<never> } | undefined;
  return [
    implement(describeInterface, ({ pathPrefix }) => {
      if (last?.pathPrefix !== pathPrefix) {
        const json = Buffer.from(JSON.stringify(describeRoutes(routes(), version, pathPrefix)));
        last = { pathPrefix, answer: { status: 200, json } };
      }
      return last.answer;
    }),
  ];
}
