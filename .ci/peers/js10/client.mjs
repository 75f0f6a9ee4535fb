// Peer "js10": a client on @a2a-js/sdk 1.3.0. It prints what the SDK gives it,
// one line for each operation.
//
//   node client.mjs (--card URL | --endpoint URL) --binding JSONRPC|HTTP+JSON|GRPC --ops LIST
//     --compat      also speak 0.3, as the SDK's compatibility layer does
//     --tls         gRPC over TLS; the roots are those of the environment
//     --proxy URL   fetch goes through this proxy (gRPC takes its own from the environment)
import { parseArgs } from 'node:util';
import grpc from '@grpc/grpc-js';
import { Role } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

const { values: flags } = parseArgs({ options: {
  card: { type: 'string' }, endpoint: { type: 'string' }, binding: { type: 'string' }, ops: { type: 'string' },
  compat: { type: 'boolean' }, tls: { type: 'boolean' }, proxy: { type: 'string' },
} });
if (flags.proxy) {
  const { ProxyAgent, setGlobalDispatcher } = await import('undici');
  setGlobalDispatcher(new ProxyAgent(flags.proxy));
}

const compat = flags.compat ? { legacyCompat: { enabled: true } } : {};
const secure = flags.tls ? { grpcChannelCredentials: grpc.credentials.createSsl() } : {};
const factory = new ClientFactory({
  transports: [new JsonRpcTransportFactory(compat), new RestTransportFactory(compat), new GrpcTransportFactory({ ...compat, ...secure })],
  cardResolver: new DefaultAgentCardResolver(compat),
  preferredTransports: [flags.binding],
});
const describe = e => `${e.constructor.name} ${e.code ?? ''} ${String(e.message).split('\n')[0]}`;
let client;
try {
  client = flags.card ? await factory.createFromUrl(flags.card) : await factory.createFromAgentCard({
    name: 'endpoint', description: '', version: '1', capabilities: { streaming: true, pushNotifications: true, extensions: [] }, skills: [],
    supportedInterfaces: [{ url: flags.endpoint, protocolBinding: flags.binding, protocolVersion: '1.0', tenant: '' }],
    defaultInputModes: [], defaultOutputModes: [], securitySchemes: {}, securityRequirements: [], signatures: [],
  });
} catch (e) {
  console.log('client: error', describe(e));
  process.exit(0);
}
console.log('client:', client.transport.protocolName);

let last = '00000000-0000-0000-0000-00000000dead';
const seen = value => {
  last = value?.id ?? value?.taskId ?? last;
  return value;
};
const ask = (text, returnImmediately) => ({
  tenant: '', metadata: undefined,
  message: {
    messageId: crypto.randomUUID(), contextId: '', taskId: '', role: Role.ROLE_USER, metadata: undefined, extensions: [], referenceTaskIds: [],
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
  },
  configuration: { acceptedOutputModes: [], returnImmediately, taskPushNotificationConfig: undefined, historyLength: undefined },
});
const drain = async (events, most) => {
  const all = [];
  for await (const e of events) {
    seen(e.payload?.value);
    all.push(e.payload ?? e);
    if (all.length === most) break;
  }
  return all;
};
const run = (name, arg) => {
  const id = arg === 'unknown' ? '11111111-2222-3333-4444-555555555555' : last;
  const tenant = '';
  switch (name) {
    case 'send': return client.sendMessage(ask(arg, false)).then(seen);
    case 'sendnow': return client.sendMessage(ask(arg, true)).then(seen).then(t => t.id);
    case 'stream': return drain(client.sendMessageStream(ask(arg, false)));
    case 'streamcut': return drain(client.sendMessageStream(ask(arg, false)), 2);
    case 'get': return client.getTask({ tenant, id, historyLength: undefined });
    case 'list': return client.listTasks({ tenant, contextId: '', status: 0, pageSize: 1, pageToken: '', historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: undefined }).then(r => r.tasks.length);
    case 'cancel': return client.cancelTask({ tenant, id, metadata: undefined }).then(t => t.status.state);
    case 'subscribe': return drain(client.resubscribeTask({ tenant, id }));
    case 'hookset': return client.createTaskPushNotificationConfig({ tenant, taskId: id, id: 'hook-1', url: 'http://127.0.0.1:1/hook', token: 'tok', authentication: undefined });
    case 'hookget': return client.getTaskPushNotificationConfig({ tenant, taskId: id, id: 'hook-1' });
    case 'hookdelete': return client.deleteTaskPushNotificationConfig({ tenant, taskId: id, id: 'hook-1' });
    case 'extcard': return client.getAgentCard().then(c => c.name);
  }
  throw new Error(`there is no operation ${name}`);
};
for (const op of flags.ops.split(',')) {
  const [name, ...arg] = op.split(':');
  try {
    console.log(`${op}:`, JSON.stringify(await run(name, arg.join(':'))));
  } catch (e) {
    console.log(`${op}: error`, describe(e));
  }
}
process.exit(0);
