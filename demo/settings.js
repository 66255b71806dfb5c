/**
 * Node-RED's settings for the demo: nothing leaves this machine, and only the demo is stored. There is no login, so
 * requests from web pages of other origins, and with other host names of this machine, are refused.
 */
const HERE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/

function onlyFromHere({ headers: { host = '', origin } }, response, next) {
  if (HERE.test(host) && (origin === undefined || origin === `http://${host}`)) next()
  else response.status(403).send('The demo is for this machine: open http://127.0.0.1')
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
    projects: { enabled: false },
    palette: { catalogues: [] },
  },
  logging: { console: { level: 'info', metrics: false, audit: false } },
}
