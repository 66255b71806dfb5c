/** The editor script of all nodes; the palette shows them in this order. */
import './account/editor'
import './current/editor'
import './latest/editor'
import './range/editor'
import './alerts/editor'
