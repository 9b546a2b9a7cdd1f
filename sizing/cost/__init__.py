"""What it costs: public quotes, price per unit of what a platform offers, and where a ranking turns."""

from sizing.cost.prices import Cost, cost, low_price, per, quote, step
from sizing.cost.turning import Line, line, turning_price

__all__ = ["Cost", "Line", "cost", "line", "low_price", "per", "quote", "step", "turning_price"]
