import type * as opcua from 'node-opcua-client';

/** All exports of the client library. */
export type OpcuaModule = typeof opcua;

/** The part of a transport that the library uses. */
export type TransportOf = ReturnType<NonNullable<opcua.OPCUAClientOptions['transportFactory']>['create']>;

/**
 * Loads the client library lazily, when the first server is connected: a gateway without OPC UA spends neither time nor
 * memory on it.
 *
 * The library writes to the console, including whole requests that may contain a password. So its output is silenced;
 * the outcome of a call is in its result.
 */
export async function loadLibrary(): Promise<OpcuaModule> {
  const library = await import('node-opcua-client');
  library.setLogLevel(library.LogLevel.Emergency);
  for (const setLogger of [library.setDebugLogger, library.setErrorLogger, library.setWarningLogger]) {
    setLogger(() => undefined);
  }
  return library;
}
