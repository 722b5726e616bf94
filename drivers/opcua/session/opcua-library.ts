import type * as opcua from 'node-opcua-client';

/** Everything that the client library exports. */
export type OpcuaModule = typeof opcua;

/** The part of a transport that the library uses. */
export type TransportOf = ReturnType<NonNullable<opcua.OPCUAClientOptions['transportFactory']>['create']>;

/**
 * Loads the client library. That waits for the first server that is connected: a gateway without OPC UA spends neither
 * time nor memory on it.
 *
 * The library writes to the console by itself, whole requests among other things, which may hold a password. So it is
 * silenced; the outcome of a call is in its result.
 */
export async function loadLibrary(): Promise<OpcuaModule> {
  const library = await import('node-opcua-client');
  library.setLogLevel(library.LogLevel.Emergency);
  for (const setLogger of [library.setDebugLogger, library.setErrorLogger, library.setWarningLogger]) {
    setLogger(() => undefined);
  }
  return library;
}
