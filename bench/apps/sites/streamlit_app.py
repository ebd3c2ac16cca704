"""A Streamlit page with most of its widgets: `streamlit run` starts it."""

from __future__ import annotations

from datetime import date

import pandas as pd
import streamlit as st

st.set_page_config(page_title="Orders", layout="wide")
st.title("Orders")
with st.sidebar:
    st.header("Filters")
    region = st.selectbox("Region", ["North", "South", "East", "West"])
    months = st.multiselect("Months", ["January", "February", "March", "April"], default=["March"])
    least = st.slider("At least", 0, 100, 25)
    since = st.date_input("Since", date(2026, 3, 1))
    paid = st.checkbox("Only paid", value=True)
st.write(f"**Region:** {region}, *{', '.join(months)}*, at least `{least}` since {since}")
left, right = st.columns(2)
left.metric("Revenue", "€ 12,400", "8 %")
right.metric("Returns", "31", "-4", help="Orders that came back within 30 days.")
frame = pd.DataFrame({"order": range(1, 9), "customer": list("ABCDEFGH"), "total": [n * 12.5 for n in range(8)]})
table, chart, form = st.tabs(["Table", "Chart", "New order"])
with table:
    st.dataframe(frame)
    st.table(frame.head(3))
with chart:
    st.bar_chart(frame, x="customer", y="total")
with form, st.form("order"):
    name = st.text_input("Customer", placeholder="Who ordered?")
    note = st.text_area("Note")
    amount = st.number_input("Amount", 1, 50, 2)
    speed = st.radio("Delivery", ["Standard", "Express", "Pick-up"], horizontal=True)
    gift = st.toggle("Gift wrap")
    proof = st.file_uploader("Proof of payment")
    if st.form_submit_button("Place order"):
        st.success(f"{name} ordered {amount} ({speed}).")
with st.expander("How totals are made"):
    st.markdown("Totals are **net** and rounded to `0.05`.")
st.download_button("Download CSV", frame.to_csv(), "orders.csv")
if st.button("Refresh"):
    st.toast("Up to date")
st.info("Prices are examples.")
