/**
 * Node-RED's settings for the demo, which contacts no other machine by itself. There is no login, so only requests to a
 * loopback host name are accepted, and none from web pages of other origins.
 */
const HERE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

function onlyFromHere({ headers: { host = '', origin } }, response, next) {
  if (HERE.test(host) && (origin === undefined || origin === `http://${host}`)) next()
  else response.status(403).send('The demo can be reached only from this machine: open http://127.0.0.1')
}

module.exports = {
  flowFile: 'flows.json',
  credentialSecret: process.env.ENVLOG_DEMO_SECRET,
  uiHost: '127.0.0.1',
  httpAdminMiddleware: onlyFromHere,
  httpNodeMiddleware: onlyFromHere,
  telemetry: { enabled: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
  editorTheme: {
    page: { title: 'envlog demo' },
    header: { title: 'envlog demo' },
    tours: false,
    // With `enabled: false`, Node-RED warns at the start that there are no projects.
    projects: {},
    palette: { catalogues: [] },
  },
  logging: { console: { level: 'info', metrics: false, audit: false } },
}
