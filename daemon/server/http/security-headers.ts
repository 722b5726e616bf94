import type { IncomingMessage, ServerResponse } from 'node:http';

import helmet from 'helmet';

// For data and pages alike.
const COMMON = {
  // Depends on a setting, see below.
  strictTransportSecurity: false,
  crossOriginResourcePolicy: { policy: 'same-origin' },
  xFrameOptions: { action: 'deny' },
  // These concern pages, links and plug-ins of obsolete browsers.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

const setHeaders = helmet({
  ...COMMON,
  // Answers are data: no browser may run, frame or embed them.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
});

const setPageHeaders = helmet({
  ...COMMON,
  // Everything comes from the gateway, and from files: a text that a device or a client chose never becomes a script or style.
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'blob:', 'data:'],
      workerSrc: ["'self'"],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
});

/**
 * Returns the response fields that restrict what browsers do with data. They are the same for every answer with data.
 *
 * @returns names and values in turn, as `ServerResponse.writeHead` takes them
 */
export function listSecurityHeaders(): readonly string[] {
  return listFields(setHeaders);
}

/** Returns the same for the pages of the gateway itself, which run nothing but its own files, and reach nothing but itself. */
export function listPageSecurityHeaders(): readonly string[] {
  return listFields(setPageHeaders);
}

/**
 * Returns the header that makes browsers require HTTPS (RFC 6797); none for 0 seconds. It applies to every port of the host and
 * permits no exceptions from certificate warnings, so that a self-signed certificate makes the console unreachable.
 */
export function listTransportSecurity(maximumAgeSeconds = 0): readonly string[] {
  return maximumAgeSeconds === 0 ? [] : ['Strict-Transport-Security', `max-age=${maximumAgeSeconds}`];
}

function listFields(set: typeof setHeaders): readonly string[] {
  const fields: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => fields.push(name, value),
    removeHeader: () => undefined,
  };
  set({} as IncomingMessage, recorder as unknown as ServerResponse, (error?: unknown) => {
    if (error instanceof Error) throw error;
  });
  return fields;
}
