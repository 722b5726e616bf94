/** An OPC UA server in its own process; its settings and requests come over the channel of the process. */
import { X509Certificate } from 'node:crypto';
import path from 'node:path';

import * as opcua from 'node-opcua';

import type { OpcuaServerOptions, ServerAnswer, ServerCommand, ServerMessage } from './opcua-server.ts';
import { answerBrowses } from './opcua-hostile-browse.ts';
import type { HostileBrowse } from './opcua-hostile-browse.ts';
import { addLateNode, addNodes } from './opcua-server-nodes.ts';

const APPLICATION_URI = 'urn:penstock:test:server';

/** The methods of the server that a test can replace by others. */
const ANSWERS = [
  '_on_WriteRequest',
  '_on_BrowseRequest',
  '_on_BrowseNextRequest',
  '_on_CreateMonitoredItemsRequest',
  '_on_CreateSessionRequest',
  '_on_CreateSubscriptionRequest',
  '_on_DeleteMonitoredItemsRequest',
  '_on_DeleteSubscriptionsRequest',
  '_on_GetEndpointsRequest',
  '_on_ModifyMonitoredItemsRequest',
  '_on_ModifySubscriptionRequest',
];

const options = JSON.parse(process.argv[2] ?? '{}') as Required<OpcuaServerOptions>;
const counts = new Map<string, number>();

opcua.setLogLevel(opcua.LogLevel.Emergency);
const createCertificates = (name: string, isOpen = true) =>
  new opcua.OPCUACertificateManager({
    rootFolder: path.join(options.directory, name),
    automaticallyAcceptUnknownCertificate: isOpen,
    disableFileWatchers: true,
  });
const serverCertificateManager = createCertificates('application');
const userCertificateManager = createCertificates('users', options.userCertificates === undefined);
await serverCertificateManager.initialize();
await userCertificateManager.initialize();
for (const pem of options.userCertificates ?? []) {
  await userCertificateManager.trustCertificate(new X509Certificate(pem).raw);
}

const server = new opcua.OPCUAServer({
  port: options.port,
  host: '127.0.0.1',
  hostname: '127.0.0.1',
  alternateHostname: ['localhost', '127.0.0.1'],
  serverCertificateManager,
  userCertificateManager,
  securityModes: options.securityModes.map((mode) => opcua.coerceMessageSecurityMode(mode)),
  securityPolicies: options.securityPolicies.map((policy) => opcua.coerceSecurityPolicy(policy)),
  allowAnonymous: options.users === undefined,
  userManager: { isValidUser: (name: string, password: string) => options.users?.[name] === password },
  nodeset_filename: [opcua.nodesets.standard],
  serverInfo: { applicationUri: APPLICATION_URI },
  serverCapabilities: {
    maxSessions: options.maxSessions,
    // Otherwise the library merges changes of one node within 50 ms, whatever its queue.
    minSupportedSampleRate: 0,
    operationLimits: options.operationLimits,
    maxSubscriptionsPerSession: options.maxSubscriptionsPerSession,
    maxMonitoredItemsPerSubscription: options.maxMonitoredItemsPerSubscription,
  },
});
await server.initialize();
const { addressSpace } = server.engine;
if (addressSpace === null) throw new TypeError('the server has no address space');
for (const uri of options.namespaces) addressSpace.registerNamespace(uri);
const nodes = addNodes(addressSpace, options);
await server.start();
if (!options.tellsLimits) hideLimits(addressSpace);
server.on('request', (request: object) => {
  const { name } = request.constructor;
  counts.set(name, (counts.get(name) ?? 0) + 1);
});

const closeSessions = (): void => {
  for (const session of Object.values(server.engine['_sessions'] as Record<string, opcua.ServerSession>)) {
    server.engine.closeSession(session.authenticationToken, true, 'Terminated');
  }
};

const listSubscriptions = (): readonly opcua.Subscription[] =>
  Object.values(server.engine['_sessions'] as Record<string, opcua.ServerSession>).flatMap(
    ({ publishEngine }) => publishEngine.subscriptions,
  );

const perform: Readonly<Record<ServerCommand, (argument?: string) => unknown>> = {
  reset() {
    closeSessions();
    // The library answers again.
    for (const own of ANSWERS) Reflect.deleteProperty(server, own);
    nodes.restore();
    counts.clear();
    return undefined;
  },
  countRequests() {
    const seen = Object.fromEntries(counts);
    counts.clear();
    return seen;
  },
  listWrites: () => nodes.takeWrites(),
  countSessions: () => server.engine.currentSessionCount,
  countSubscriptions: () => server.engine.currentSubscriptionCount,
  countItems: () => listSubscriptions().reduce((sum, { monitoredItemCount }) => sum + monitoredItemCount, 0),
  listTerms: () =>
    listSubscriptions().map((subscription) => ({
      publishingIntervalMs: subscription.publishingInterval,
      items: [...subscription.getMonitoredItems().serverHandles]
        .map((id) => subscription.getMonitoredItem(id))
        .filter((item) => item !== null)
        .map(({ samplingInterval, queueSize }) => ({ samplingIntervalMs: samplingInterval, queueSize })),
    })),
  closeSessions() {
    closeSessions();
    return undefined;
  },
  endSubscriptions() {
    for (const session of Object.values(server.engine['_sessions'] as Record<string, opcua.ServerSession>)) {
      for (const { id } of session.publishEngine.subscriptions) session.deleteSubscription(id);
    }
    return undefined;
  },
  answerWrites,
  hideCreations,
  refuseDeletion,
  refuseModifications,
  answerBrowses(how) {
    answerBrowses(server, how as HostileBrowse);
    return undefined;
  },
  dropLists() {
    for (const session of Object.values(server.engine['_sessions'] as Record<string, opcua.ServerSession>)) {
      session.continuationPointManager.dispose();
      session.continuationPointManager = new opcua.ContinuationPointManager();
    }
    return undefined;
  },
  listNoEndpoints() {
    const answer = (message: opcua.Message, channel: opcua.ServerSecureChannelLayer): void =>
      channel.send_response('MSG', new opcua.GetEndpointsResponse({ endpoints: [] }), message);
    Object.assign(server, { _on_GetEndpointsRequest: answer });
    return undefined;
  },
  replaceNode(names = '') {
    const [name = '', like = ''] = names.split(' ');
    nodes.replace(name, like);
    return undefined;
  },
  replaceMethod(argumentType = '') {
    nodes.replaceMethod(argumentType);
    return undefined;
  },
  addNamespace(uri = '') {
    addLateNode(addressSpace, uri);
    return undefined;
  },
};

/** Tells clients 0 for each limit, as for none. */
function hideLimits(space: opcua.AddressSpace): void {
  for (const nodeId of ['i=11705', 'i=11707', 'i=11714']) {
    const none = new opcua.Variant({ dataType: opcua.DataType.UInt32, value: 0 });
    const limit = space.findNode(nodeId) as opcua.UAVariable;
    limit.bindVariable({ get: () => none }, true);
  }
}

/** Answers every Write without carrying it out: with a ServiceFault of that status, or with the answer to another service. */
function answerWrites(fault: string | undefined): void {
  const answer = (message: opcua.Message, channel: opcua.ServerSecureChannelLayer): void => {
    const status = fault === undefined ? undefined : opcua.coerceStatusCode(fault);
    const response =
      status === undefined
        ? new opcua.ReadResponse({ results: [] })
        : new opcua.ServiceFault({ responseHeader: { serviceResult: status } });
    channel.send_response('MSG', response, message);
  };
  Object.assign(server, { _on_WriteRequest: answer });
}

function hideCreations(service = ''): void {
  type Send = opcua.ServerSecureChannelLayer['send_response'];
  type Create = (message: opcua.Message, channel: opcua.ServerSecureChannelLayer) => void;
  const own = `_on_${service}Request`;
  const create = Reflect.get(server, own) as Create | undefined;
  if (create === undefined) throw new RangeError(`the server has no service ${service}`);
  const answer: Create = (message, channel) => {
    const send: Send = (kind, _response, request) =>
      channel.send_response(kind, new opcua.ReadResponse({ results: [] }), request);
    create.call(
      server,
      message,
      new Proxy(channel, {
        get(target, name): unknown {
          const member: unknown = name === 'send_response' ? send : Reflect.get(target, name);
          // Methods of the library have private members.
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      }),
    );
  };
  Object.assign(server, { [own]: answer });
}

/** Does not carry out the next deletion, and answers it as another service does. */
function refuseDeletion(service = ''): void {
  const own = `_on_${service}Request`;
  const answer = (message: opcua.Message, channel: opcua.ServerSecureChannelLayer): void => {
    Reflect.deleteProperty(server, own);
    channel.send_response('MSG', new opcua.ReadResponse({ results: [] }), message);
  };
  Object.assign(server, { [own]: answer });
}

/** Answers a service as a server that does not have it. */
function refuseModifications(service = ''): void {
  const answer = (message: opcua.Message, channel: opcua.ServerSecureChannelLayer): void =>
    channel.send_response(
      'MSG',
      new opcua.ServiceFault({
        responseHeader: { serviceResult: opcua.StatusCodes.BadServiceUnsupported },
      }),
      message,
    );
  Object.assign(server, { [`_on_${service}Request`]: answer });
}

const tell = (answer: ServerAnswer): void => void process.send?.(answer);
process.on('message', ({ command, argument }: ServerMessage) => tell({ value: perform[command](argument) }));
process.on('disconnect', () => process.exit());
tell({
  value: {
    port: server.endpoints[0]?.port,
    certificate: server.getCertificate().toString('base64'),
  },
});
